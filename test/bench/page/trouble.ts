import type { Browser, Page } from 'playwright-core';
import { minute, second } from '#src/runtime/units.ts';
import { type Figure, none } from '../measuring/figures.ts';
import { type Behind, speed } from './behind.ts';
import { pause, watch } from './watching.ts';

const patience = 120_000;

/** Wall ms between two updates of prices, which come every two minutes of market time. */
const cadence = (2 * minute) / speed;
/** Ms that the page allows for data on its way. */
const grace = 3 * second;

/** Returns the ms until a condition holds in the page. */
async function until(page: Page, isSo: string): Promise<number> {
  const begun = performance.now();
  await page.waitForFunction(isSo, undefined, { timeout: patience, polling: 50 });
  return performance.now() - begun;
}

const banner = `document.querySelector('.banner') !== null`;
const oldTiles = (few: string) => `document.querySelectorAll('.markets-column .tile.old').length ${few}`;
const runs = `document.querySelector('.clock:not(.old) time') !== null`;

/** Script that marks each row of the page, so that rows made anew can be told from rows that stayed. */
const mark = `(() => {
  for (const row of document.querySelectorAll('table.markets tbody tr, .alert-line')) row.marked = true;
})()`;
const unmarked = `[...document.querySelectorAll('table.markets tbody tr, .alert-line')]
  .filter((row) => row.marked !== true && !row.closest('.alert-lines')).length`;
const twice = `(() => {
  const links = [...document.querySelectorAll('a.alert-line')].map(({ href }) => href);
  return links.length - new Set(links).size;
})()`;

const ms = (name: string, value: number, most: number): Figure => ({
  name,
  value,
  unit: 'ms',
  bound: { most },
});

export async function measureTrouble(
  browser: Browser,
  { url, killBot, startBot, killService, startService }: Behind,
): Promise<readonly Figure[]> {
  const { page, close } = await watch(browser, { bypassCSP: true });
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => {
    // The browser itself logs failed requests.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      wrong.push(message.text());
  });
  try {
    await page.goto(url);
    await page.locator('table.markets tbody tr').nth(20).waitFor({ timeout: patience });
    await until(page, `${runs} && ${oldTiles('=== 0')}`);

    await page.evaluate(mark);
    await killBot();
    const toldOfBot = await until(page, banner);
    await startBot();
    const botBack = await until(page, `!(${banner})`);
    await pause(2 * second);
    const [anew, doubled] = [await page.evaluate(unmarked), await page.evaluate(twice)];

    await until(page, `${runs} && ${oldTiles('=== 0')}`);
    await killService();
    const [stopped, hatched] = await Promise.all([until(page, `!(${runs})`), until(page, oldTiles('> 0'))]);
    await startService();
    const [serviceBack, fresh] = await Promise.all([until(page, runs), until(page, oldTiles('=== 0'))]);
    return [
      ms('bot killed: until a banner says so', toldOfBot, 3 * second),
      ms('  bot answers again: until the page is back', botBack, 5 * second),
      none('  rows made anew', Number(anew)),
      none('  alerts shown twice', Number(doubled)),
      ms('data service killed: until the clock stands', stopped, cadence + grace),
      ms('  until tiles are hatched', hatched, 2 * cadence + grace),
      ms('  it answers again: until the clock runs', serviceBack, 5 * second),
      ms('  until no tile is hatched', fresh, 5 * second + cadence),
      none('errors in the page', wrong.length),
    ];
  } finally {
    await close();
  }
}
