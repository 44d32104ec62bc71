import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Logger } from 'pino';
import { aborted } from '../runtime/aborted.ts';
import type { MarketClock } from '../runtime/clock.ts';
import { day, hour } from '../runtime/units.ts';
import {
  createRegimeWalk,
  type RegimeSnapshot,
  type RegimeWalk,
  restoreRegimeWalk,
} from './analytics/regime.ts';
import type { Archive, Candle, RegimeRow } from './archive/archive.ts';
import { isPossible } from './archive/possible.ts';
import { modelDocument, regimeSymbol } from './handlers/regime.ts';

/** How much of the past a first start publishes, ms: the longest window of /regime/history. */
export const regimePast = 90 * day;

/** How long a missing hour is waited for, ms. After that, the exchange is assumed not to have it. */
const maxHourDelay = 2 * hour;

/** Candles between two pauses, which let requests be served during the walk over the first two years. */
const batch = 250;

/** How far regimes have been computed. Stored as a document of the archive. */
interface WalkPosition {
  readonly walk: RegimeSnapshot;
  /** Open time of the last candle that was pushed into the walk. */
  readonly last: number;
}
const documentKey = 'regime-walk';

/**
 * Opens the computation of regimes (the walk) at the position stored in the archive. The returned function pushes bitcoin's
 * hourly candles that closed by market time `now` into the walk and writes the resulting regimes, in order, each once. It
 * resolves to the number of rows written. Only one call may run at a time. Rows are written before the position: if a process
 * dies in between, the next one computes the same rows again, and the stored rows stay unchanged.
 *
 * @param from open time of the first row to publish if the archive has no position; absent: 90 days before the first `now`
 */
export async function openRegimes(
  archive: Archive,
  { from }: { readonly from?: number } = {},
): Promise<(now: number) => Promise<number>> {
  let { walk, last } = restore((await archive.get(documentKey)) as WalkPosition | null | undefined);
  let describedModel: string | undefined;

  return async (now) => {
    walk ??= createRegimeWalk({ from: from ?? now - regimePast });
    const bars = await archive.read('candles1h', {
      symbol: regimeSymbol,
      window: { from: last + 1, to: now - hour },
    });
    const rows: RegimeRow[] = [];
    let pushed = 0;
    for (const bar of bars) {
      if (isHourMissing(bar, { last, now })) break;
      // Such a candle was stored by an earlier version: the walk would never get past it.
      if (!isPossible(bar)) continue;
      const row = walk.push(bar);
      if (row !== null) {
        rows.push(row);
        if (row.model !== describedModel) await storeModel(archive, walk);
        describedModel = row.model;
      }
      last = bar.time;
      pushed += 1;
      if (pushed % batch === 0) await yieldToOthers();
    }
    if (pushed === 0) return 0;
    await archive.writeRegime(rows);
    await archive.put(documentKey, { walk: walk.snapshot(), last } satisfies WalkPosition);
    return rows.length;
  };
}

/** Stores the description of the walk's model under its version, for responses. */
const storeModel = (archive: Archive, walk: RegimeWalk): Promise<void> =>
  archive.put(modelDocument(walk.model().version), walk.model());

const isHourMissing = (
  bar: Candle,
  { last, now }: { readonly last: number; readonly now: number },
): boolean => last > 0 && bar.time > last + hour && now - (bar.time + hour) < maxHourDelay;

/** Restores the walk at the stored position; undefined if no walk has begun, or nobody can say how far. */
function restore(position: WalkPosition | null | undefined): { walk: RegimeWalk | undefined; last: number } {
  if (position === undefined || position === null || !Number.isFinite(position.last))
    return { walk: undefined, last: 0 };
  try {
    return { walk: restoreRegimeWalk(position.walk), last: position.last };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // A new version of the model walks again from the first candle. Rows that are published already stay unchanged.
    return { walk: createRegimeWalk({ from: position.last + 1 }), last: 0 };
  }
}

export interface RegimePublishing {
  /** Resolves when the first regimes are published. */
  readonly ready: Promise<void>;
  /** Called when there are new candles. */
  wake(): void;
  /** Settles once the signal has aborted and nothing is under way. */
  readonly done: Promise<void>;
}

/** Publishes regimes when `after` resolves and after each `wake`, one publication at a time, until the signal. */
export function keepPublishing(options: {
  readonly archive: Archive;
  readonly clock: MarketClock;
  readonly log: Logger;
  readonly after: Promise<void>;
  readonly signal: AbortSignal;
  readonly onPublished: () => void;
}): RegimePublishing {
  const { archive, clock, log, signal } = options;
  let woken = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => woken.resolve(), { once: true });

  const run = async () => {
    await Promise.race([options.after, aborted(signal)]);
    let publish: Awaited<ReturnType<typeof openRegimes>> | undefined;
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      try {
        publish ??= await openRegimes(archive);
        if ((await publish(clock.now())) > 0) options.onPublished();
        ready.resolve();
      } catch (error) {
        // The walk in memory may be ahead of the stored position, so it is opened again from the archive.
        publish = undefined;
        log.error({ err: error }, 'could not publish regimes; retrying with the next candle');
      }
      // Not a race with a promise that lasts as long as the process: that would remember each of its races.
      await woken.promise;
    }
  };
  return { ready: ready.promise, wake: () => woken.resolve(), done: run() };
}
