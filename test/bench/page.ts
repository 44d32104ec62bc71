import { parseArgs } from 'node:util';
import { launchChromium } from '#test/support/chromium.ts';
import { report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';
import { measureCascade } from './page/cascade.ts';
import { measureOpening } from './page/opening.ts';
import { measureStorm } from './page/storm.ts';

/** The storm takes ten minutes. */
export const slow = true;

/**
 * `npm run bench -- page [-- --minutes 10]`: the page in Chromium over a console in this process, with a market of eight
 * symbols that have a value in every column: how soon the page is ready, and how it copes with dozens and thousands of
 * alerts.
 */
export default async function page(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { minutes: { type: 'string', default: '10' } } });
  const browser = await launchChromium();
  try {
    report('page: until the market stands and no task is under way, median of 7', [
      ...(await measureOpening(browser)),
      load(),
    ]);
    report('page: a cascade of 50 alerts in 3 s, the worst of 5', [
      ...(await measureCascade(browser)),
      load(),
    ]);
    const minutes = Number(values.minutes);
    report(`page: 500 alerts a minute for ${minutes} minutes, each a post that ends after a minute`, [
      ...(await measureStorm(browser, minutes)),
      load(),
    ]);
  } finally {
    await browser.close();
  }
}
