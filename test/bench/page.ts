import { parseArgs } from 'node:util';
import { launchChromium } from '#test/support/chromium.ts';
import { report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';
import { measureCascade } from './page/cascade.ts';
import { pageLive } from './page/live.ts';
import { pageLooks } from './page/looks.ts';
import { measureOpening } from './page/opening.ts';
import { measureStorm } from './page/storm.ts';

/** Takes twenty minutes in all. */
export const slow = true;

/**
 * `npm run bench -- page -- [load live looks] [--minutes 10] [--shots FOLDER]`. load: the page in Chromium over a console in this process, with a
 * market of eight symbols that have a value in every column: how soon the page is ready, and how it copes with dozens and
 * thousands of alerts. The others: live.ts, looks.ts.
 */
export default async function page(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { minutes: { type: 'string', default: '10' }, shots: { type: 'string' } },
  });
  const wants = (part: string) => positionals.length === 0 || positionals.includes(part);
  if (wants('load')) await pageLoad(Number(values.minutes));
  if (wants('live')) await pageLive();
  if (wants('looks')) await pageLooks(values.shots);
}

async function pageLoad(minutes: number): Promise<void> {
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
    report(`page: 500 alerts a minute for ${minutes} minutes, each a post that ends after a minute`, [
      ...(await measureStorm(browser, minutes)),
      load(),
    ]);
  } finally {
    await browser.close();
  }
}
