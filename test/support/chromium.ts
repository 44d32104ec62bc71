import { existsSync } from 'node:fs';
import type { Browser, LaunchOptions } from 'playwright-core';

const whole = '/usr/bin/chromium';
/**
 * Chromium without a user interface, which playwright itself tests with: it renders the same pages with two thirds of the CPU
 * time.
 */
const shell = '/usr/bin/chromium-headless-shell';

/** Path of the browser for the tests of the page. */
export const chromium = process.env.CHROMIUM_PATH ?? (existsSync(shell) ? shell : whole);

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Without these, each page begins in one process and is loaded in another.
  '--process-per-site',
  '--renderer-process-limit=1',
];

export async function launchChromium(given: LaunchOptions = {}): Promise<Browser> {
  // Loaded here, so that checking whether a browser exists loads nothing.
  const { chromium: playwright } = await import('playwright-core');
  return playwright.launch({ executablePath: chromium, args, ...given });
}
