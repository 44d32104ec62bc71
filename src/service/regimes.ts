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
import { modelDocument, regimeSymbol } from './handlers/regime.ts';

/** What a first start publishes of the past: the longest window of /regime/history. */
export const regimePast = 90 * day;

/** A missing hour is waited for this long, then taken for one the exchange never had. */
const patience = 2 * hour;

/** Bars between two pauses, so that requests are answered during the walk over the first two years. */
const batch = 250;

/** How far regimes have been worked out: a document of the archive. */
interface Standing {
  readonly walk: RegimeSnapshot;
  /** Open time of the last bar pushed. */
  readonly last: number;
}
const document = 'regime-walk';

/**
 * Opens the walk where the archive says it stands. The function it gives pushes bitcoin's hours closed by market
 * time `now` and writes what they conclude, in order, each once; it resolves to the number of rows written, and one
 * call at a time may run. Rows are written before the standing: a process that dies between the two concludes the
 * same rows again, and those there stay as they were.
 *
 * @param from open time of the first row published, where the archive does not say; else 90 days before the first `now`
 */
export async function openRegimes(
  archive: Archive,
  { from }: { readonly from?: number } = {},
): Promise<(now: number) => Promise<number>> {
  let { walk, last } = restore((await archive.get(document)) as Standing | null | undefined);
  let described: string | undefined;

  return async (now) => {
    walk ??= createRegimeWalk({ from: from ?? now - regimePast });
    const bars = await archive.read('candles1h', {
      symbol: regimeSymbol,
      window: { from: last + 1, to: now - hour },
    });
    const rows: RegimeRow[] = [];
    let pushed = 0;
    for (const bar of bars) {
      if (awaitsAnother(bar, { last, now })) break;
      const row = walk.push(bar);
      if (row !== null) {
        rows.push(row);
        if (row.model !== described) await describe(archive, walk);
        described = row.model;
      }
      last = bar.time;
      pushed += 1;
      if (pushed % batch === 0) await yieldToOthers();
    }
    if (pushed === 0) return 0;
    await archive.writeRegime(rows);
    await archive.put(document, { walk: walk.snapshot(), last } satisfies Standing);
    return rows.length;
  };
}

/** Keeps what answers say of the model that made rows, by its version. */
const describe = (archive: Archive, walk: RegimeWalk): Promise<void> =>
  archive.put(modelDocument(walk.model().version), walk.model());

const awaitsAnother = (
  bar: Candle,
  { last, now }: { readonly last: number; readonly now: number },
): boolean => last > 0 && bar.time > last + hour && now - (bar.time + hour) < patience;

/** The walk where it stands; none where none has begun. */
function restore(standing: Standing | null | undefined): { walk: RegimeWalk | undefined; last: number } {
  if (standing === undefined || standing === null) return { walk: undefined, last: 0 };
  try {
    return { walk: restoreRegimeWalk(standing.walk), last: standing.last };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Another version of the model walks anew; what the one before it published stays.
    return { walk: createRegimeWalk({ from: standing.last + 1 }), last: 0 };
  }
}

export interface RegimePublishing {
  /** The first regimes are published. */
  readonly ready: Promise<void>;
  /** There are new candles. */
  wake(): void;
  /** Settles once the signal has aborted and nothing is under way. */
  readonly done: Promise<void>;
}

/** Publishes after `after`, and again whenever it is woken, one publication at a time, until the signal. */
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
  const stopped = aborted(signal);

  const run = async () => {
    await Promise.race([options.after, stopped]);
    let publish: Awaited<ReturnType<typeof openRegimes>> | undefined;
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      try {
        publish ??= await openRegimes(archive);
        if ((await publish(clock.now())) > 0) options.onPublished();
        ready.resolve();
      } catch (error) {
        // What is in memory may be ahead of what was written: it goes on from what the archive says.
        publish = undefined;
        log.error({ err: error }, 'could not publish regimes; retrying with the next candle');
      }
      await Promise.race([woken.promise, stopped]);
    }
  };
  return { ready: ready.promise, wake: () => woken.resolve(), done: run() };
}
