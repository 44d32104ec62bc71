import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DataClient } from '../../contract/data-client.ts';
import { iso, minute, msOf, second } from '../../runtime/units.ts';

/** The most an answer holds, as the interface says. */
export const tapeLimit = 500;
/** Events can arrive this late: they are asked for again from here on. */
const tapeOverlap = 60 * second;
/** What an answer can bring again is among the newest 500; the rest is for those that share a millisecond. */
const remembered = 600;

/** How far a tape of liquidations has been read: JSON. */
export const readSoFar = z.object({
  /** Of the newest event, ms. */
  last: z.number(),
  /** Newest first, those that may come again. */
  recent: z.array(z.tuple([z.number(), z.string()])),
  /** Stretches of the window that could not be fetched. */
  gaps: z.array(z.tuple([z.number(), z.number()])),
});
export type ReadSoFar = z.output<typeof readSoFar>;

/** As the data service sends it. */
export interface Liquidated {
  readonly symbol: string;
  /** The liquidated side. */
  readonly side: string;
  readonly price: string;
  readonly quantity: string;
  readonly usd_value: number;
  readonly event_time: string;
}

export interface Event {
  readonly symbol: string;
  readonly side: string;
  readonly usd: number;
  readonly time: number;
}

/** The newest events since the last that was read. Throws ApiError. */
export async function liquidationsAfter(
  past: ReadSoFar | undefined,
  data: Pick<DataClient, 'liquidations'>,
  signal: AbortSignal,
): Promise<Liquidated[]> {
  const since = past && { since: iso(past.last - tapeOverlap) };
  return (await data.liquidations({ limit: tapeLimit, ...since }, signal)).data;
}

/**
 * What is new in an answer, each event once, in the order of time, though it be asked for twice, come late or share
 * its millisecond. Undefined where nothing is. `missedUntil`: the answer was full and did not reach back to the last
 * one, so that what lies before this was not seen whole.
 */
export function readTape(
  past: ReadSoFar | undefined,
  rows: readonly Liquidated[],
  { now, window }: { readonly now: number; readonly window: number },
):
  | { readonly read: ReadSoFar; readonly events: readonly Event[]; readonly missedUntil?: number }
  | undefined {
  const known = new Set(past?.recent.map(([, hash]) => hash));
  const fresh = new Map<string, Event>();
  let oldest = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const time = msOf(row.event_time);
    oldest = Math.min(oldest, time);
    // What is from the future would stop the clock until then; what is older than was asked for is known.
    if (time > now + minute || time < (past?.last ?? 0) - tapeOverlap) continue;
    const hash = identity(row);
    const { symbol, side, usd_value } = row;
    if (!known.has(hash)) fresh.set(hash, { symbol, side, usd: Math.round(Math.max(0, usd_value)), time });
  }
  const events = [...fresh.values()].sort((a, b) => a.time - b.time);
  const newest = events.at(-1)?.time;
  if (newest === undefined) return undefined;
  const last = Math.max(past?.last ?? 0, newest);
  const missed = past !== undefined && rows.length >= tapeLimit && oldest > past.last;
  const recent = [
    ...(past?.recent ?? []),
    ...[...fresh].map(([hash, { time }]): [number, string] => [time, hash]),
  ];
  const gaps = [...(past?.gaps ?? []), ...(missed ? [[past.last, oldest] as [number, number]] : [])];
  return {
    read: {
      last,
      recent: recent
        .filter(([time]) => time >= last - tapeOverlap)
        .sort(([a], [b]) => b - a)
        .slice(0, remembered),
      gaps: gaps.filter(([, to]) => to > last - window),
    },
    events,
    ...(missed && { missedUntil: oldest }),
  };
}

/** The whole record: several events share one millisecond. */
const identity = ({ symbol, side, price, quantity, usd_value, event_time }: Liquidated): string =>
  createHash('sha256')
    .update(JSON.stringify([symbol, side, price, quantity, usd_value, event_time]))
    .digest('base64url')
    .slice(0, 12);
