import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core';

/** What a page has recorded about itself since watching began. Times are ms. */
export interface Noticed {
  /** When each task of more than 50 ms ended, since navigation. */
  readonly taskEnds: readonly number[];
  readonly longest: number;
  /** Sum of layout shifts without recent user input. */
  readonly shift: number;
  /** Number of texts that were announced to screen readers. */
  readonly said: number;
  /** Most alert rows at once. */
  readonly rows: number;
  /** When the first market got its row. */
  readonly filled: number;
}

const watching = `
  globalThis.noticed = { taskEnds: [], longest: 0, shift: 0, said: 0, rows: 0, filled: 0 };
  const each = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  each('longtask', ({ startTime, duration }) => {
    noticed.taskEnds.push(startTime + duration);
    noticed.longest = Math.max(noticed.longest, duration);
  });
  each('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) noticed.shift += value;
  });
  let said = '';
  new MutationObserver(() => {
    if (noticed.filled === 0 && document.querySelector('table.markets tbody tr') !== null)
      noticed.filled = performance.now();
    const now = document.querySelector('p[aria-live]')?.textContent ?? '';
    if (now !== said && now !== '') noticed.said += 1;
    said = now;
    noticed.rows = Math.max(noticed.rows, document.querySelectorAll('.alert-line').length);
  }).observe(document, { childList: true, characterData: true, subtree: true });
`;

export interface Watched {
  readonly page: Page;
  readonly devtools: CDPSession;
  noticed(): Promise<Noticed>;
  /** Resets what was recorded so far. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a page in a new browser context, and records from before anything is loaded. */
export async function watch(browser: Browser, given: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, ...given });
  const page = await context.newPage();
  await page.addInitScript(watching);
  const devtools = await context.newCDPSession(page);
  return {
    page,
    devtools,
    noticed: () => page.evaluate('globalThis.noticed') as Promise<Noticed>,
    forget: async () => {
      await page.evaluate('Object.assign(noticed, { taskEnds: [], longest: 0, shift: 0, said: 0, rows: 0 })');
    },
    close: () => context.close(),
  };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
