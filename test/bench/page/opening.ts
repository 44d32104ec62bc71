import type { Browser } from 'playwright-core';
import { someBoard } from '#test/support/board.ts';
import { startConsole } from '#test/support/console.ts';
import { type Figure, percentile } from '../measuring/figures.ts';
import { pause, watch } from './watching.ts';

const times = 7;
/** Ms after the last task; a task that begins later is not part of the start. */
const quiet = 700;

/** Returns the ms from navigation until the market has rows and the tasks of the start have ended. */
async function interactive(
  browser: Browser,
  { url, slowed }: { readonly url: string; readonly slowed: number },
) {
  const { page, devtools, noticed, close } = await watch(browser);
  try {
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowed });
    await page.goto(url);
    await page.locator('table.markets tbody tr').first().waitFor();
    await pause(quiet * slowed);
    const { filled, taskEnds } = await noticed();
    return taskEnds.reduce((last, end) => (end > last && end - last < quiet ? end : last), filled);
  } finally {
    await close();
  }
}

/** Returns the ms that the same browser needs to show a page of one word. */
async function oneWord(browser: Browser): Promise<number> {
  const page = await browser.newPage();
  try {
    const begun = performance.now();
    await page.goto('data:text/html,<p>word');
    return performance.now() - begun;
  } finally {
    await page.close();
  }
}

export async function measureOpening(browser: Browser): Promise<readonly Figure[]> {
  const console = await startConsole({ board: { read: someBoard, onPatch: () => {} } });
  try {
    const found: Record<'plain' | 'slowed' | 'word', number[]> = { plain: [], slowed: [], word: [] };
    // The first opening does not count, because files are read and code is compiled only once.
    await interactive(browser, { url: console.url, slowed: 1 });
    for (let n = 0; n < times; n += 1) {
      found.word.push(await oneWord(browser));
      found.plain.push(await interactive(browser, { url: console.url, slowed: 1 }));
      found.slowed.push(await interactive(browser, { url: console.url, slowed: 4 }));
    }
    const baseline = { name: 'a page of one word', value: percentile(found.word, 0.5) };
    const figure = (name: string, values: readonly number[], most: number): Figure[] => [
      { name, value: percentile(values, 0.5), unit: 'ms', bound: { most }, baseline },
      { name: '  the slowest of them', value: percentile(values, 1), unit: 'ms' },
    ];
    return [
      ...figure('over loopback', found.plain, 1_000),
      ...figure('with a quarter of the processor', found.slowed, 2_500),
    ];
  } finally {
    await console.close();
  }
}
