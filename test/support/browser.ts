import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll } from 'vitest';
import { patience } from '#test/support/patience.ts';
import { launchChromium } from './chromium.ts';
import { startConsole } from './console.ts';
import { describeWith } from './needs.ts';

type ConsoleGiven = Parameters<typeof startConsole>[0];

export interface InBrowser {
  /** Starts a console that is closed after the test. */
  start(options?: ConsoleGiven): ReturnType<typeof startConsole>;
  /** Opens its page. Errors and refused scripts are collected in `wrong`. */
  visit(
    url: string,
    viewport?: { width: number; height: number },
    timezoneId?: string,
  ): Promise<Page & { wrong: string[] }>;
  /** Opens the page at `url` with further options of the browser: colour scheme, locale and so on. */
  look(url: string, given?: BrowserContextOptions): Promise<Page & { wrong: string[] }>;
}

/**
 * The browser of all files that this worker runs, one after the other, because to start one takes a second. It ends with the
 * worker. Each page has a context of its own: other pages' cookies, storage and cache are not in it.
 */
let launched: Promise<Browser> | undefined;

/** Declares a suite in a real browser. The suite is reported as skipped if there is none. */
export function inBrowser(name: string, suite: (browser: InBrowser) => void): void {
  describeWith('Chromium', name, () => {
    let browser: Browser;
    const open: (() => Promise<void>)[] = [];
    beforeAll(async () => {
      launched ??= launchChromium();
      browser = await launched;
    });
    afterEach(async () => {
      for (const close of open.splice(0).reverse()) await close();
    });

    const look: InBrowser['look'] = async (url, given = {}) => {
      const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', ...given });
      open.push(() => context.close());
      const page = await context.newPage();
      const wrong: string[] = [];
      page.on('pageerror', (error) => wrong.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') wrong.push(message.text());
      });
      page.setDefaultTimeout(patience);
      await page.goto(url);
      await page.locator('.connection[data-state=open], #login').first().waitFor({ state: 'attached' });
      return Object.assign(page, { wrong });
    };

    suite({
      async start(options = {}) {
        const console = await startConsole(options);
        open.push(console.close);
        return console;
      },
      visit: (url, viewport = { width: 1_200, height: 900 }, timezoneId = 'Asia/Tokyo') =>
        look(`${url}/chat`, { viewport, timezoneId }),
      look,
    });
  });
}
