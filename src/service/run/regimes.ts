import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Logger } from 'pino';
import { aborted } from '../../runtime/aborted.ts';
import type { MarketClock } from '../../runtime/clock.ts';
import { day, hour } from '../../runtime/units.ts';
import { createRegimeWalk, memory, type RegimeWalk } from '../analytics/regime.ts';
import { chainWindow } from '../analytics/regime-chain.ts';
import type { Archive, RegimeRow } from '../archive/archive.ts';
import { regimeSymbol } from '../handlers/regime.ts';

/** How much of the past a first start publishes, ms: the longest window of /regime/history, and of other markets a month. */
const firstPast = (symbol: string): number => (symbol === regimeSymbol ? 90 : 30) * day;

/** How much of a market's past its walk takes in, ms: a year of volatility and some more. */
const walkedPast = 400 * day;

/** How long a missing hour is waited for, ms. After that, the exchange is assumed not to have it. */
const maxHourDelay = 2 * hour;

/** Candles are read in pieces of this length, ms, with a pause after so many, so that requests are served during a long walk. */
const piece = 60 * day;
const batch = 250;

/**
 * Opens the computation of a market's regimes, which continues from the newest published row. The returned function takes in
 * the hourly candles that closed by market time `now` and writes the resulting regimes, in order, each once. It resolves to the
 * number of rows written. Only one call may run at a time.
 *
 * @param from open time of the first row if none is published; absent: some time before the first `now` (`firstPast`)
 */
export function openRegimes(
  archive: Archive,
  { symbol = regimeSymbol, from }: { readonly symbol?: string; readonly from?: number } = {},
): (now: number) => Promise<number> {
  let walk: RegimeWalk | undefined;
  /** Open times of the first and the last candle taken in. */
  let [first, last] = [0, 0];

  /** Begins the walk, and again while its past is short and a backfill has brought more of it. */
  async function begin(now: number): Promise<RegimeWalk> {
    if (walk !== undefined) {
      const isShort = first > 0 && last - first < chainWindow * hour;
      const [older] = isShort ? await archive.last('candles1h', { symbol, count: 1, to: first - 1 }) : [];
      if (older === undefined) return walk;
    }
    const [newest] = await archive.last('regimes', { symbol, count: 1, to: now });
    const begins = newest === undefined ? (from ?? now - firstPast(symbol)) : newest.time + hour;
    const published = await archive.read('regimes', {
      symbol,
      window: { from: begins - memory, to: begins },
    });
    [first, last] = [0, newest === undefined && from !== undefined ? 0 : Math.max(0, begins - walkedPast)];
    return createRegimeWalk({ symbol, from: begins, published });
  }

  return async (now) => {
    walk = await begin(now);
    const rows: RegimeRow[] = [];
    let isHourMissing = false;
    for (let begins = last + 1; begins <= now - hour && !isHourMissing; begins += piece) {
      const window = { from: begins, to: Math.min(begins + piece - 1, now - hour) };
      const bars = await archive.read('candles1h', { symbol, window });
      for (const [index, bar] of bars.entries()) {
        const { time: opened } = bar;
        isHourMissing = first > 0 && opened > last + hour && now - (opened + hour) < maxHourDelay;
        if (isHourMissing) break;
        const row = walk(bar);
        if (row !== null) rows.push(row);
        if (first === 0) first = opened;
        last = opened;
        if (index % batch === batch - 1) await yieldToOthers();
      }
    }
    await archive.write('regimes', rows);
    return rows.length;
  };
}

/**
 * Publishes the regimes of the followed markets when `after` resolves and after each `wake`, one market at a time and bitcoin
 * first, until the signal.
 */
export function keepPublishing(options: {
  readonly archive: Archive;
  readonly clock: MarketClock;
  readonly log: Logger;
  readonly after: Promise<void>;
  readonly signal: AbortSignal;
  readonly onPublished: () => void;
}) {
  const { archive, clock, log, signal } = options;
  let woken = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const waiting = new Set<string>([regimeSymbol]);
  const publishers = new Map<string, ReturnType<typeof openRegimes>>();
  signal.addEventListener('abort', () => woken.resolve(), { once: true });

  const publish = async (symbol: string) => {
    waiting.delete(symbol);
    const publisher = publishers.getOrInsertComputed(symbol, () => openRegimes(archive, { symbol }));
    try {
      if ((await publisher(clock.now())) > 0) options.onPublished();
      if (symbol === regimeSymbol) ready.resolve();
    } catch (error) {
      // The walk in memory may be ahead of the published rows, so it is opened again from them.
      publishers.delete(symbol);
      log.error({ err: error, symbol }, 'could not publish regimes; retrying with the next candle');
    }
  };
  const run = async () => {
    await Promise.race([options.after, aborted(signal)]);
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      for (let next = pick(waiting); next !== undefined && !signal.aborted; next = pick(waiting)) {
        await publish(next);
        await yieldToOthers();
      }
      // Not a race with a promise that lasts as long as the process: that would remember each of its races.
      await woken.promise;
    }
  };
  return {
    /** Resolves when the market's first regimes are published. */
    ready: ready.promise,
    /** Called when there are new candles of these markets. */
    wake(symbols: readonly string[]): void {
      for (const symbol of symbols) waiting.add(symbol);
      woken.resolve();
    },
    /** Settles once the signal has aborted and nothing is under way. */
    done: run(),
  };
}

const pick = (waiting: ReadonlySet<string>): string | undefined =>
  waiting.has(regimeSymbol) ? regimeSymbol : waiting.values().next().value;
