import { day, minute, second } from '../../runtime/units.ts';
import type { Book } from '../archive/archive.ts';
import type { TopOfBook } from '../venues/venue.ts';
import { defineCollector, defineHistory } from './collector.ts';

const sampling = 5 * second;
/** Wall ms: a faster market is sampled less often in its minute. */
const soonest = 200;

/** Top of book, averaged over each minute: alone it flips 29 times a minute (measured), so a sample says nothing. */
export default defineCollector({
  name: 'book',
  feedsOn: ({ book }) => book !== undefined,
  histories: ({ exchanges: { tape } }) =>
    tape === undefined
      ? []
      : [
          defineHistory({
            series: 'book',
            step: minute,
            pageSteps: 1_440,
            wanted: 7 * day,
            needed: () => day,
            fetch: (symbol, { page }) => tape.books(symbol, page),
          }),
        ],
  collect: async () => {},
  async listen(context) {
    const { clock, wall, signal, exchanges, symbols, write, report } = context;
    let sampled = minuteAfter(clock.now());
    let samples: TopOfBook[] = [];
    while (!signal.aborted) {
      const now = clock.now();
      try {
        if (minuteAfter(now) !== sampled) {
          await write('book', averages(samples, sampled));
          samples = [];
          sampled = minuteAfter(now);
        }
        samples.push(...((await exchanges.markets.book?.(symbols())) ?? []));
        report({ at: now });
      } catch (error) {
        if (signal.aborted) return;
        report({ problem: error instanceof Error ? error.message : String(error) });
      }
      const next = (Math.floor(now / sampling) + 1) * sampling;
      await wall.sleep(Math.max(soonest, clock.wallUntil(next)), signal).catch(() => {});
    }
  },
});

const minuteAfter = (time: number) => (Math.floor(time / minute) + 1) * minute;

/** One row per symbol, at the end of the minute. */
export function averages(samples: readonly TopOfBook[], time: number): Book[] {
  return [...Map.groupBy(samples, ({ symbol }) => symbol)].map(([symbol, own]) => {
    const mean = (of: (sample: TopOfBook) => number) =>
      own.reduce((sum, sample) => sum + of(sample), 0) / own.length;
    return {
      symbol,
      time,
      bidPrice: mean(({ bidPrice }) => bidPrice),
      askPrice: mean(({ askPrice }) => askPrice),
      imbalance: mean(({ imbalance }) => imbalance),
    };
  });
}
