import { hour, iso } from '../../runtime/units.ts';
import {
  dataQuality as assess,
  type FeedReading,
  type Quality,
  type QualityCheck,
  qualityChecks,
} from '../analytics/data-quality.ts';
import { evidenceWindow, findDrifts } from '../analytics/drifts.ts';
import { liquidationsCompleteSince } from '../collecting/collectors/liquidations.ts';
import { type Handler, type HandlerContext, lastWindow } from './handler.ts';

/** Returns the quality of the data at `now`, from the rows that the archive has up to that time. */
export async function qualityAt({ archive, now, universe, feeds, state }: HandlerContext): Promise<Quality> {
  const [candles, funding, snapshots, [liquidation], audits, feedStates, completeSince = now] =
    await Promise.all([
      archive.latest('candles1h', now - hour),
      archive.latest('funding', now),
      archive.latest('openInterest', now),
      archive.liquidations({ to: now, limit: 1 }),
      archive.audits(lastWindow(evidenceWindow, now)),
      feeds(),
      liquidationsCompleteSince(archive),
    ]);
  const trackedSymbols = new Set(universe);
  const socket = feedStates.find(({ feed }) => feed === 'liquidations');
  const reading = (
    name: QualityCheck,
    rows: readonly { readonly symbol: string; readonly time: number }[],
    rowLength = 0,
  ): FeedReading => {
    const tracked = rows.filter(({ symbol }) => trackedSymbols.has(symbol));
    const newest = tracked.reduce((latest, { time }) => Math.max(latest, time), -Infinity) + rowLength;
    const fresh = tracked.filter(({ time }) => now - time - rowLength <= qualityChecks[name].freshFor);
    // Coverage is lowered by symbols that fell behind the others. If the whole feed is late, `lastUpdate` shows that.
    const covered = now - newest <= qualityChecks[name].freshFor ? fresh.length : tracked.length;
    return {
      lastUpdate: tracked.length === 0 ? null : newest,
      coverage: universe.length === 0 ? 1 : covered / universe.length,
    };
  };
  return assess(
    {
      candles: reading('candles', candles, hour),
      funding_history: reading('funding_history', funding),
      oi_history: reading('oi_history', snapshots),
      ...(state.unpublished?.has('liquidations') !== true && {
        liquidation_events: {
          lastUpdate: liquidation?.time ?? null,
          alive: socket && socket.problem === null,
          completeSince: socket?.problem === null && completeSince < now ? completeSince : undefined,
        },
      }),
    },
    { now, drifts: findDrifts(audits) },
  );
}

export const dataQuality: Handler<'dataQuality'> = {
  needs: ['candles1h', 'funding', 'openInterest'],
  uses: ['liquidations', 'audits', 'state'],
  answer: (_query, context) => qualityAt(context),
};

export const dataQualityHistory: Handler<'dataQualityHistory'> = {
  needs: ['quality'],
  async answer({ hours }, { archive, now }) {
    const rows = await archive.quality(lastWindow(hours * hour, now));
    return {
      data: rows.map(({ time, ...row }) => ({ timestamp: iso(time), ...row })),
      count: rows.length,
      window: `${hours}h`,
    };
  },
};
