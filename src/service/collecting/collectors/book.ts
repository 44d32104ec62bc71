import { day, minute, second } from '../../../runtime/units.ts';
import type { Book } from '../../archive/archive.ts';
import type { TopOfBook } from '../../venues/venue.ts';
import { messageOf } from '../catch-up.ts';
import { type CollectorContext, defineCollector, defineHistory, hear } from './collector.ts';

const sampleInterval = 5 * second;
/** The shortest wait between two samples, wall ms. A market clock that runs faster gets fewer samples per market minute. */
const minSampleInterval = 200;
/** Market ms without a quote after which the stream counts as dead: some symbol's book always changes sooner. */
const silence = minute;

/**
 * Collects the top of the book, averaged over each minute. The top of a book flips 29 times a minute (measured), so a
 * single sample says nothing.
 */
export default defineCollector({
  name: 'book',
  feedsOn: ({ book, quotes }) => (book ?? quotes) !== undefined,
  histories({ exchanges: { markets } }) {
    const { pastBook } = markets;
    if (pastBook === undefined) return [];
    return [
      defineHistory({
        series: 'book',
        step: minute,
        pageSteps: 1_440,
        wanted: 7 * day,
        needed: () => day,
        fetch: (symbol, page) => pastBook(symbol, page),
      }),
    ];
  },
  collect: async () => {},
  async listen(context) {
    const { clock, wall, signal, write, report } = context;
    const { current: sample, ended } = context.exchanges.venue.roles.book
      ? requestedBooks(context)
      : streamedBooks(context);
    let minuteEnd = minuteAfter(clock.now());
    let samples: TopOfBook[] = [];
    while (!signal.aborted) {
      const now = clock.now();
      try {
        if (minuteAfter(now) !== minuteEnd) {
          // What a clock saw that was set back since is of no minute.
          if (minuteEnd <= now) await write('book', averages(samples, minuteEnd));
          samples = [];
          minuteEnd = minuteAfter(now);
        }
        const tops = await sample();
        samples.push(...tops);
        if (tops.length > 0) report({ at: now });
      } catch (error) {
        if (signal.aborted) break;
        report({ problem: messageOf(error) });
      }
      const next = (Math.floor(clock.now() / sampleInterval) + 1) * sampleInterval;
      await wall.sleep(Math.max(minSampleInterval, clock.wallUntil(next)), signal).catch(() => {});
    }
    await ended;
  },
});

/** The current books, either requested from the venue or received on its stream. */
interface Books {
  current(): Promise<readonly TopOfBook[]>;
  readonly ended: Promise<void>;
}

const requestedBooks = ({ exchanges: { markets }, symbols }: CollectorContext): Books => ({
  current: async () => (await markets.book?.(symbols())) ?? [],
  ended: Promise.resolve(),
});

/**
 * Keeps the current books from a stream. The venue sends a book when it changes, so the last one stays valid until the
 * next. After an interruption all books are discarded.
 */
function streamedBooks(context: CollectorContext): Books {
  const { exchanges, clock, symbols, report } = context;
  const { quotes } = exchanges.venue.roles;
  const bookBySymbol = new Map<string, TopOfBook>();
  if (quotes === undefined) return { current: async () => [], ended: Promise.resolve() };
  const ended = hear(quotes, context, {
    silence: Math.max(3 * second, silence / clock.speed),
    onMessage(text) {
      try {
        const tops = quotes.read(text);
        for (const top of tops) bookBySymbol.set(top.symbol, top);
        return tops.length > 0;
      } catch (error) {
        report({ problem: `a message of the stream is not as promised: ${String(error)}` });
        return false;
      }
    },
    onProblem(problem) {
      bookBySymbol.clear();
      report({ problem });
    },
  });
  return {
    async current() {
      const tracked = new Set(symbols());
      return [...bookBySymbol.values()].filter(({ symbol }) => tracked.has(symbol));
    },
    ended,
  };
}

const minuteAfter = (time: number) => (Math.floor(time / minute) + 1) * minute;

/** Returns one row per symbol with the mean of its samples, stamped `time`, the end of the minute. */
export function averages(samples: readonly TopOfBook[], time: number): Book[] {
  return [...Map.groupBy(samples, ({ symbol }) => symbol)].map(([symbol, symbolSamples]) => {
    const mean = (of: (sample: TopOfBook) => number) =>
      symbolSamples.reduce((sum, sample) => sum + of(sample), 0) / symbolSamples.length;
    return {
      symbol,
      time,
      bidPrice: mean(({ bidPrice }) => bidPrice),
      askPrice: mean(({ askPrice }) => askPrice),
      imbalance: mean(({ imbalance }) => imbalance),
    };
  });
}
