import type { EndpointAnswer, EndpointName, QueryInput } from '../../contract/index.ts';
import { median } from '../../runtime/statistics.ts';
import { hour, iso } from '../../runtime/units.ts';
import type { ArchiveReader } from '../archive/archive.ts';
import { marksTakenAt } from '../collecting/collectors/marks.ts';
import type { Measured } from './compare.ts';
import { Missed } from './missed.ts';

/** Asks our own service for what any caller gets. @throws ApiError, InputError as a caller would be refused */
export type AskOwn = <Name extends EndpointName>(
  name: Name,
  query: QueryInput<Name>,
) => Promise<EndpointAnswer<Name>>;

/** A published value and its usual speed: `move` is the median relative change from one row of its last day to the next. */
export interface Published extends Measured {
  readonly move: number;
}

const newestPublished = (rows: readonly Measured[], what: string): Published => {
  const last = rows.at(-1);
  if (last === undefined) throw new Missed('NOT_PUBLISHED', `no ${what} yet`);
  const changes = rows.slice(1).map(({ value }, index) => {
    const before = rows[index]?.value ?? value;
    return Math.abs(value - before) / Math.max(Math.abs(value), Math.abs(before), Number.MIN_VALUE);
  });
  return { ...last, move: changes.length === 0 ? 0 : median(changes) };
};

interface MarkQuestion {
  readonly symbol: string;
  readonly ask: AskOwn;
  readonly archive: Pick<ArchiveReader, 'get'>;
}

export async function publishedMark({ symbol, ask, archive }: MarkQuestion): Promise<Published> {
  const { data } = await ask('basis', { symbol, hours: 24 });
  const mark = newestPublished(
    data.map(({ markPrice, timestamp }) => ({ value: markPrice, time: Date.parse(timestamp) })),
    'mark price',
  );
  return { ...mark, takenAt: await marksTakenAt(archive, mark.time) };
}

/** Returns the running rate: the rate at which the current interval would be settled. */
export async function publishedRunningRate({
  symbol,
  ask,
  archive,
}: MarkQuestion): Promise<Measured & { readonly takenAt: number }> {
  const { data } = await ask('venueMarkets', { symbol });
  const row = data.find((each) => each.symbol === symbol);
  const time = Date.parse(row?.timestamp ?? '');
  const takenAt = await marksTakenAt(archive, time);
  if (row?.rate === undefined || takenAt === undefined)
    throw new Missed('NOT_PUBLISHED', 'no running rate of now yet');
  return { value: row.rate, time, takenAt };
}

/** Returns the open interest in contracts, because its value in USD moves with the price. */
export async function publishedOpenInterest(ask: AskOwn, symbol: string): Promise<Published> {
  const { data } = await ask('oi', { symbol, limit: 288 });
  return newestPublished(
    data.map(({ oi_contracts, timestamp }) => ({ value: Number(oi_contracts), time: Date.parse(timestamp) })),
    'open interest',
  );
}

export async function publishedFunding(ask: AskOwn, symbol: string): Promise<Measured> {
  const { data } = await ask('fundingCurrent', {});
  const row = data.find((each) => each.symbol === symbol);
  if (row === undefined) throw new Missed('NOT_PUBLISHED', 'no settlement yet');
  return { value: Number(row.rate), time: Date.parse(row.timestamp) };
}

/** Returns the ms between two published settlements, according to the latest ones. */
export async function publishedInterval(ask: AskOwn, symbol: string): Promise<number> {
  const { data } = await ask('fundingIntervals', {});
  const row = data.find((each) => each.symbol === symbol);
  if (row === undefined) throw new Missed('NOT_PUBLISHED', 'no interval of its settlements yet');
  return row.hours * hour;
}

/** Returns the USD traded in the last 24 closed hours, with the end of the last hour. */
export async function publishedVolume(ask: AskOwn, symbol: string): Promise<Measured> {
  const { data } = await ask('candles', { symbol, interval: '1h', limit: 24 });
  const last = data.at(-1);
  if (last === undefined) throw new Missed('NOT_PUBLISHED', 'no candle yet');
  return {
    value: data.reduce((sum, { quote_volume }) => sum + Number(quote_volume), 0),
    time: Date.parse(last.open_time) + hour,
  };
}

/** The most events that one answer holds (contract, /liquidations). */
const maxEvents = 500;

/** Returns the USD liquidated after `from` up to `time`, and the number of events; `from` is later if there are too many. */
export async function publishedLiquidations(
  ask: AskOwn,
  { symbol, from, to }: { readonly symbol: string; readonly from: number; readonly to: number },
): Promise<Measured & { readonly from: number; readonly events: number }> {
  const { data } = await ask('liquidations', { symbol, since: iso(from), limit: maxEvents });
  const oldest = data.at(-1);
  // Events at the same moment as the oldest may have been cut off.
  const begin =
    data.length < maxEvents || oldest === undefined ? from : Math.max(from, Date.parse(oldest.event_time));
  const counted = data.filter(({ event_time }) => {
    const time = Date.parse(event_time);
    return time > begin && time <= to;
  });
  const value = counted.reduce((sum, { usd_value }) => sum + usd_value, 0);
  return { value, time: to, from: begin, events: counted.length };
}
