import { type DoubtedPrice, doubtAbout, isRedenominated } from '../../contract/plausible-price.ts';
import { hour, minute, second } from '../../runtime/units.ts';
import { round } from '../analytics/statistics.ts';
import type { PriceTick } from '../venues/venue.ts';

/** A market's newest price. Times are market ms. */
interface NewestPrice {
  readonly symbol: string;
  readonly price: number;
  readonly markPrice?: number | undefined;
  readonly indexPrice?: number | undefined;
  /** Up to when the price is known to hold. */
  readonly time: number;
  /** The number of the last change, see `PriceTable.revision`. */
  readonly revision: number;
}

/** How far back the table knows prices, and how far apart they are there: the older the prices, the fewer. */
const kept = [
  { every: 5 * second, for: 2 * minute },
  { every: minute, for: 20 * minute },
  { every: 5 * minute, for: 4 * hour + 15 * minute },
] as const;

/** The windows over which changes are told, ms. */
const changeWindows = {
  change1mPct: minute,
  change5mPct: 5 * minute,
  change15mPct: 15 * minute,
  change1hPct: hour,
  change4hPct: 4 * hour,
} as const;
type PriceChanges = { readonly [Name in keyof typeof changeWindows]?: number };

/** How much older than a window the price may be that is compared with, as a part of the window. */
const windowSlack = 0.25;

/** Readers of the newest prices. */
export interface NewestPrices {
  /** Rises with each change of any price. */
  revision(): number;
  /** Returns the markets whose prices have changed after `revision`, without it all: of those that are wanted. */
  changed(revision?: number, isWanted?: (symbol: string) => boolean): readonly NewestPrice[];
  of(symbol: string): NewestPrice | undefined;
  /** Returns the changes over those windows whose beginning is known, percent. */
  changes(symbol: string): PriceChanges;
  /** Calls the listener after each change. Returns a function that ends this. */
  onChange(listener: () => void): () => void;
  /** Whether nobody has told a new price for so long that the prices are not of now. */
  stale(): boolean;
}

export interface PriceTable extends NewestPrices {
  /** Returns a market's last prices. */
  last(symbol: string): Pick<NewestPrice, 'price' | 'markPrice'> | undefined;
  /** Takes in what a venue says at `now`. Returns whether that is news: a market has another price. */
  take(ticks: readonly PriceTick[], now: number): boolean;
  /** Enters prices of the past, oldest first, so that changes are known from the start. */
  remember(time: number, prices: ReadonlyMap<string, number>): void;
  setStale(stale: boolean): void;
  /** Forgets everything, because the prices of another venue follow. */
  clear(): void;
}

/** What is kept of a market. */
interface Row extends Pick<NewestPrice, 'price' | 'markPrice' | 'indexPrice' | 'revision'> {
  /** When the venue said so last, market ms. */
  readonly said: number;
  readonly doubt?: DoubtedPrice | undefined;
  readonly markDoubt?: DoubtedPrice | undefined;
}

/**
 * Returns the doubt about what is told of a price at `time`, after the price that was believed last and the doubt of before. How
 * long a market did not trade says nothing of what can be believed.
 */
const doubtOf = (
  told: number | undefined,
  believed: number | undefined,
  { time, doubt }: { readonly time: number; readonly doubt: DoubtedPrice | undefined },
): DoubtedPrice | undefined =>
  told === undefined || believed === undefined
    ? doubt
    : doubtAbout({ price: told, time }, { price: believed, time, doubt });

/** Creates the table of the newest prices of one venue. */
export function createPriceTable(): PriceTable {
  const rows = new Map<string, Row>();
  const tape = createPriceTape();
  const listeners = new Set<() => void>();
  let revision = 0;
  let confirmed = 0;
  let isStale = true;

  const rowOf = (symbol: string, { price, markPrice, indexPrice, said, revision }: Row): NewestPrice => ({
    symbol,
    price,
    markPrice,
    indexPrice,
    // A stream that repeats old prices says new times.
    time: isStale ? Math.min(said, confirmed) : Math.max(said, confirmed),
    revision,
  });

  return {
    revision: () => revision,
    changed(since = -1, isWanted = () => true) {
      const found: NewestPrice[] = [];
      for (const [symbol, row] of rows)
        if (row.revision > since && isWanted(symbol)) found.push(rowOf(symbol, row));
      return found;
    },
    last: (symbol) => rows.get(symbol),
    of(symbol) {
      const row = rows.get(symbol);
      return row && rowOf(symbol, row);
    },
    changes(symbol) {
      const price = rows.get(symbol)?.price;
      return price === undefined ? {} : tape.changes(symbol, { price, now: confirmed });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stale: () => isStale,
    setStale(stale) {
      isStale = stale;
    },
    take(ticks, now) {
      const next = revision + 1;
      let isNews = false;
      for (const { symbol, price, markPrice, indexPrice, time = now } of ticks) {
        const known = rows.get(symbol);
        // A clock ahead of ours does not make a price later than now; a message that came late changes nothing.
        const said = Math.min(time, now);
        if (known !== undefined && said < known.said) continue;
        const last = price ?? known?.price;
        if (last === undefined) continue;
        const doubt = doubtOf(price, known?.price, { time: said, doubt: known?.doubt });
        const markDoubt = doubtOf(markPrice, known?.markPrice, { time: said, doubt: known?.markDoubt });
        const isDoubted = price !== undefined && doubt !== undefined;
        if (known !== undefined && (isDoubted || (markPrice !== undefined && markDoubt !== undefined))) {
          rows.set(symbol, { ...known, doubt, markDoubt });
          continue;
        }
        const isChanged = last !== known?.price;
        isNews ||= isChanged || (markPrice !== undefined && markPrice !== known?.markPrice);
        rows.set(symbol, {
          price: last,
          markPrice: markPrice ?? known?.markPrice,
          indexPrice: indexPrice ?? known?.indexPrice,
          said,
          revision: isChanged ? next : (known?.revision ?? next),
          doubt,
          markDoubt,
        });
        if (isChanged) revision = next;
      }
      if (isNews) {
        confirmed = Math.max(confirmed, now);
        tape.add(confirmed, rows);
      }
      if (revision === next) for (const listener of listeners) listener();
      return isNews;
    },
    remember: (time, prices) =>
      tape.add(time, new Map([...prices].map(([symbol, price]) => [symbol, { price }]))),
    clear() {
      rows.clear();
      tape.clear();
      confirmed = 0;
      isStale = true;
    },
  };
}

/** Keeps past prices of all markets at common times. */
function createPriceTape() {
  let times: number[] = [];
  let columns = new Map<string, (number | undefined)[]>();
  let prunedAt = 0;

  /** Where the windows that end at `now` begin: −1 where no price of then is known. All markets are asked about together. */
  let begins = { now: Number.NaN, of: [] as readonly (readonly [name: string, index: number])[] };
  const beginsAt = (now: number) => {
    if (begins.now !== now)
      begins = {
        now,
        of: Object.entries(changeWindows).map(([name, window]) => {
          const index = times.findLastIndex((time) => time <= now - window);
          const isOfThen = now - (times[index] ?? Number.NEGATIVE_INFINITY) <= window * (1 + windowSlack);
          return [name, isOfThen ? index : -1] as const;
        }),
      };
    return begins.of;
  };

  /** Leaves out the times that lie closer together than is kept at their age. */
  const prune = (now: number) => {
    let last = Number.NEGATIVE_INFINITY;
    const keep = times.map((time) => {
      const level = kept.find((each) => now - time <= each.for);
      if (level === undefined || Math.floor(time / level.every) === Math.floor(last / level.every))
        return false;
      last = time;
      return true;
    });
    columns = new Map(
      [...columns].flatMap(([symbol, column]) => {
        const left = times.flatMap((_, index) => (keep[index] ? [column[index]] : []));
        return left.some((price) => price !== undefined) ? [[symbol, left]] : [];
      }),
    );
    times = times.filter((_, index) => keep[index]);
  };

  return {
    add(time: number, rows: ReadonlyMap<string, { readonly price: number }>) {
      const last = times.at(-1) ?? Number.NEGATIVE_INFINITY;
      if (time - last < kept[0].every) return;
      begins = { now: Number.NaN, of: [] };
      if (time - prunedAt >= minute) {
        prune(time);
        prunedAt = time;
      }
      const index = times.push(time) - 1;
      for (const [symbol, { price }] of rows) {
        const column = columns.getOrInsertComputed(symbol, () => []);
        column[index] = price;
      }
    },
    changes(symbol: string, { price, now }: { readonly price: number; readonly now: number }): PriceChanges {
      const column = columns.get(symbol);
      if (column === undefined) return {};
      return Object.fromEntries(
        beginsAt(now).flatMap(([name, index]) => {
          const before = column[index];
          return before === undefined || isRedenominated(before, price)
            ? []
            : [[name, round((price / before - 1) * 100, 4)]];
        }),
      );
    },
    clear() {
      times = [];
      columns = new Map();
    },
  };
}
