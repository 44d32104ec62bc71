import type { Browser, LaunchOptions } from 'playwright-core';

/** Where the browser is that tests of the page are made in. */
export const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

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
