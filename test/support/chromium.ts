import { existsSync } from 'node:fs';
import type { Browser, LaunchOptions } from 'playwright-core';

const whole = '/usr/bin/chromium';
/** Chromium without its windows, which is what playwright itself tests in: the same pages for two thirds of the processor. */
const shell = '/usr/bin/chromium-headless-shell';

/** Where the browser is that tests of the page are made in. */
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
];

export async function launchChromium(given: LaunchOptions = {}): Promise<Browser> {
  // Whoever only asks whether there is one loads nothing.
  const { chromium: playwright } = await import('playwright-core');
  return playwright.launch({ executablePath: chromium, args, ...given });
}
