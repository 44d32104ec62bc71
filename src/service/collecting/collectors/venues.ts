import { z } from 'zod';
import { day, hour, minute } from '../../../runtime/units.ts';
import type { Archive, OpenInterest, SeriesRows, SettledFunding, VenueMark } from '../../archive/archive.ts';
import { marketAt } from '../../archive/identity.ts';
import { rowsOfEach } from '../../exchanges/bounded.ts';
import type { OpenVenue } from '../../venues/others.ts';
import { messageOf } from '../catch-up.ts';
import { pauseAfter, publicationLag } from '../rounds.ts';
import { type CollectorContext, defineCollector } from './collector.ts';

const step = 5 * minute;
/** Requests about one symbol each that may be under way at the same time. */
const maxParallel = 4;
/** How far requests for settlements reach back before the last one, ms, because a settlement may be published late. */
const overlap = 10 * minute;
/** The longest outage whose settlements are still fetched, ms. */
const maxOutage = day;
const documentKey = 'venues';
const problems = z.record(z.string(), z.string());
/** How often a venue is asked which of its markets are perpetuals of coins, market ms. */
const listEvery = 15 * minute;
const otherKindsKey = 'venues.otherKinds';
const otherKindsByVenue = z.record(z.string(), z.array(z.string()));

/**
 * Returns, by the venue's name, why a venue other than the primary one cannot be read, as a text. Venues without a
 * problem are left out.
 */
export const venueProblems = async (
  archive: Pick<Archive, 'get'>,
): Promise<Readonly<Record<string, string>>> => problems.safeParse(await archive.get(documentKey)).data ?? {};

/** Returns, by the venue's name, the symbols that are no perpetual of a coin there but, for example, a stock's. */
export const otherKinds = async (
  archive: Pick<Archive, 'get'>,
): Promise<Readonly<Record<string, readonly string[]>>> =>
  otherKindsByVenue.safeParse(await archive.get(otherKindsKey)).data ?? {};

/** Whether the venue offers marks or open interest, which are shown next to the primary venue's. */
const hasVenueData = ({ venue: { roles } }: OpenVenue): boolean =>
  (roles.marks ?? roles.openInterest ?? roles.pastOpenInterest) !== undefined;

/**
 * Collects marks, running funding rates, open interest and settled funding of the tracked symbols from the venues other
 * than the primary one, with few requests. Each venue has a loop of its own, so a venue that refuses or hangs does not
 * delay the others.
 */
export default defineCollector({
  name: 'venues',
  // This collector needs other venues, not a role of the primary venue.
  feedsOn: (_roles, others) => others.some(hasVenueData),
  async listen(context) {
    const readVenues = context.others.filter(hasVenueData);
    const problemByVenue = new Map<string, string>();
    const reportProblem = async ({ venue }: OpenVenue, problem: string | undefined): Promise<void> => {
      const before = problemByVenue.get(venue.name);
      if (problem === undefined) problemByVenue.delete(venue.name);
      else problemByVenue.set(venue.name, problem);
      if (problem !== before) await context.archive.put(documentKey, Object.fromEntries(problemByVenue));
      if (problemByVenue.size < readVenues.length) context.report({ at: context.clock.now() });
      else context.report({ problem: [...problemByVenue.values()].join('; ') });
    };
    await context.archive.put(documentKey, {});
    await Promise.all(
      readVenues.map((openVenue) =>
        keepReading(openVenue, context, (problem) => reportProblem(openVenue, problem)),
      ),
    );
  },
});

/** Reads one venue every five minutes of market time until the signal aborts. Never rejects. */
async function keepReading(
  openVenue: OpenVenue,
  context: CollectorContext,
  reportProblem: (problem: string | undefined) => Promise<void>,
): Promise<void> {
  const { clock, wall, random, signal } = context;
  const readCoins = readCategories(openVenue);
  let failures = 0;
  let since: number | undefined;
  while (!signal.aborted) {
    const at = Math.floor(clock.now() / step) * step;
    let pause: number | undefined;
    try {
      await readVenue(openVenue, { context, at, since, coins: await readCoins(at) });
      since = at;
      await reportProblem(undefined);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      await reportProblem(messageOf(error)).catch(() => {});
      pause = pauseAfter(error, failures, random());
      failures += 1;
    }
    await wall
      .sleep(Math.max(pause ?? clock.wallUntil(at + step + publicationLag), 50), signal)
      .catch(() => {});
  }
}

/**
 * Returns a function that reads which symbols are perpetuals of coins at the venue, by the venue's own category: one name may
 * be a stock at one venue and a coin at another. What the venue said stays valid while it does not answer. Undefined: it has
 * not said so yet, and the price alone shows what is another thing.
 */
function readCategories({ client }: OpenVenue): (at: number) => Promise<ReadonlySet<string> | undefined> {
  let coins: ReadonlySet<string> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return async (at) => {
    if (at - readAt < listEvery) return coins;
    try {
      const listed = await client.listings();
      if (listed.length > 0)
        coins = new Set(listed.flatMap(({ symbol, kind }) => (kind === undefined ? [symbol] : [])));
      readAt = at;
    } catch {
      // What is wrong with the venue is reported by the reading that follows.
    }
    return coins;
  };
}

interface Reading {
  readonly context: CollectorContext;
  readonly at: number;
  readonly since: number | undefined;
  readonly coins: ReadonlySet<string> | undefined;
}

async function readVenue(openVenue: OpenVenue, { context, at, since, coins }: Reading): Promise<void> {
  const { venue, client } = openVenue;
  const isCoin = (symbol: string) => coins?.has(symbol) ?? true;
  const asked = context.symbols();
  const symbols = asked.filter(isCoin);
  const [allMarks = [], intervals = [], interest] = await Promise.all([
    client.marks?.(asked, at),
    client.intervals?.(symbols),
    client.openInterest === undefined
      ? fetchNewestInterest(client, symbols, at)
      : client.openInterest(symbols, at),
  ]);
  const marks = allMarks.filter(({ symbol }) => isCoin(symbol));
  if (coins !== undefined)
    await storeOtherKinds(
      context.archive,
      venue.name,
      allMarks.flatMap(({ symbol }) => (isCoin(symbol) ? [] : [symbol])).sort(),
    );
  const hours = new Map(intervals.map((row) => [row.symbol, row.hours]));
  const atVenue = <Row extends { readonly symbol: string }>(row: Row): Row => ({
    ...row,
    symbol: marketAt(venue.name, row.symbol),
  });
  const writeDue = async <Name extends 'venueMarks' | 'venueOpenInterest'>(
    series: Name,
    rows: readonly SeriesRows[Name][],
  ): Promise<void> => {
    // After a restart, rows that were read when they were due stay: those read now are up to five minutes late.
    const stored = since === undefined ? await context.archive.latest(series, at) : [];
    const kept = new Set(stored.flatMap(({ symbol, time }) => (time === at ? [symbol] : [])));
    await context.write(
      series,
      rows.filter(({ symbol }) => !kept.has(symbol)),
    );
  };
  await writeDue(
    'venueMarks',
    marks.map((row): VenueMark => ({ ...atVenue(row), fundingHours: hours.get(row.symbol) ?? 0 })),
  );
  await writeDue('venueOpenInterest', interest.map(atVenue));
  // Settlements come last because they may take a while.
  const settled = await settlementsSince(openVenue, { symbols, at, since });
  await context.write('venueFunding', settled.map(atVenue));
}

async function storeOtherKinds(
  archive: Pick<Archive, 'get' | 'put'>,
  venue: string,
  symbols: readonly string[],
): Promise<void> {
  const known = await otherKinds(archive);
  if (String(known[venue] ?? []) === String(symbols)) return;
  await archive.put(otherKindsKey, { ...known, [venue]: symbols });
}

/** Returns each symbol's newest open interest from a venue that offers only past values, one symbol per request. */
const fetchNewestInterest = (
  client: OpenVenue['client'],
  symbols: readonly string[],
  at: number,
): Promise<OpenInterest[]> =>
  rowsOfEach(symbols, {
    limit: maxParallel,
    ask: async (symbol) =>
      ((await client.pastOpenInterest?.(symbol, { from: at - 2 * step, to: at })) ?? []).slice(-1),
  });

/**
 * Returns the settlements of a venue other than the primary one since the venue was last asked (`since`). If `since` is
 * undefined, the result reaches back far enough to have the last settlement of every symbol. A venue that takes one request
 * per symbol is asked only once in each interval.
 */
async function settlementsSince(
  { venue, client }: OpenVenue,
  {
    symbols,
    at,
    since,
  }: { readonly symbols: readonly string[]; readonly at: number; readonly since: number | undefined },
): Promise<SettledFunding[]> {
  const { funding } = venue.roles;
  if (funding === undefined) return [];
  const { every, together } = funding;
  const from = since === undefined ? at - every - hour : Math.max(at - maxOutage, since - overlap);
  const fetchSince = async (of: string | readonly string[]) =>
    (await client.funding?.(of, { from, to: at })) ?? [];
  if (together) {
    const tracked = new Set(symbols);
    return (await fetchSince(symbols)).filter(({ symbol }) => tracked.has(symbol));
  }
  const intervalNumber = (time: number) => Math.floor((time - step) / every);
  if (since !== undefined && intervalNumber(since) === intervalNumber(at)) return [];
  return rowsOfEach(symbols, { limit: maxParallel, ask: fetchSince });
}
