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
  /** Opens a page with further options of the browser: colour scheme, locale … Errors and refused scripts are in `wrong`. */
  look(url: string, given?: BrowserContextOptions): Promise<LookedAt>;
  /** Opens a console's chat. */
  visit(url: string, viewport?: BrowserContextOptions['viewport']): Promise<LookedAt>;
  /** Starts a console and opens its page at a path. */
  open(path: string, options?: ConsoleGiven, given?: BrowserContextOptions): Promise<Opened>;
  /** Starts a console and opens its chat. */
  chat(options?: ConsoleGiven, viewport?: BrowserContextOptions['viewport']): Promise<Opened>;
}

type LookedAt = Page & { wrong: string[] };
type Opened = Awaited<ReturnType<typeof startConsole>> & { readonly page: LookedAt };

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

    const start: InBrowser['start'] = async (options = {}) => {
      const console = await startConsole(options);
      open.push(console.close);
      return console;
    };
    const visit: InBrowser['visit'] = (url, viewport = { width: 1_200, height: 900 }) =>
      look(`${url}/chat`, { viewport });

    suite({
      start,
      look,
      visit,
      async open(path, options, given) {
        const console = await start(options);
        return { ...console, page: await look(`${console.url}${path}`, given) };
      },
      async chat(options, viewport) {
        const console = await start(options);
        return { ...console, page: await visit(console.url, viewport) };
      },
    });
  });
}
