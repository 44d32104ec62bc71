import { z } from 'zod';
import { minute } from '../../runtime/units.ts';
import type { Archive, OpenInterest, VenueMark } from '../archive/archive.ts';
import { marketAt } from '../archive/identity.ts';
import { eachBounded } from '../collecting/bounded.ts';
import { messageOf } from '../collecting/catch-up.ts';
import { lag, pauseAfter } from '../collecting/rounds.ts';
import { settledBeside } from '../collecting/settlements.ts';
import { isRefusal } from '../exchanges/failure.ts';
import type { OpenVenue } from '../venues/others.ts';
import { type CollectorContext, defineCollector } from './collector.ts';

const step = 5 * minute;
/** Requests about one symbol each that may be under way at the same time. */
const parallel = 4;
const document = 'venues';
const problems = z.record(z.string(), z.string());

/**
 * Returns, by the venue's name, why a venue other than the primary one cannot be read, as a text. Venues without a
 * problem are left out.
 */
export const venueProblems = async (
  archive: Pick<Archive, 'get'>,
): Promise<Readonly<Record<string, string>>> => problems.safeParse(await archive.get(document)).data ?? {};

/** Whether the venue offers marks or open interest, which are shown next to the primary venue's. */
const isOfUse = ({ venue: { roles } }: OpenVenue): boolean =>
  (roles.marks ?? roles.openInterest ?? roles.pastOpenInterest) !== undefined;

/**
 * Collects marks, running funding rates, open interest and settled funding of the tracked symbols from the venues other
 * than the primary one, with few requests. Each venue has a loop of its own, so a venue that refuses or hangs does not
 * delay the others.
 */
export default defineCollector({
  name: 'venues',
  // This collector needs other venues, not a role of the primary venue.
  feedsOn: (_roles, others) => others.some(isOfUse),
  async listen(context) {
    const asked = context.others.filter(isOfUse);
    const wrong = new Map<string, string>();
    const tell = async ({ venue }: OpenVenue, problem: string | undefined): Promise<void> => {
      const before = wrong.get(venue.name);
      if (problem === undefined) wrong.delete(venue.name);
      else wrong.set(venue.name, problem);
      if (problem !== before) await context.archive.put(document, Object.fromEntries(wrong));
      if (wrong.size < asked.length) context.report({ at: context.clock.now() });
      else context.report({ problem: [...wrong.values()].join('; ') });
    };
    await context.archive.put(document, {});
    await Promise.all(
      asked.map((one) => keepAsking(one, { context, tell: (problem) => tell(one, problem) })),
    );
  },
});

/** Reads one venue every five minutes of market time until the signal aborts. Never rejects. */
async function keepAsking(
  one: OpenVenue,
  {
    context,
    tell,
  }: { readonly context: CollectorContext; readonly tell: (problem: string | undefined) => Promise<void> },
): Promise<void> {
  const { clock, wall, random, signal } = context;
  let failures = 0;
  let since: number | undefined;
  while (!signal.aborted) {
    const at = Math.floor(clock.now() / step) * step;
    let pause = 0;
    try {
      await ask(one, { context, at, since });
      since = at;
      await tell(undefined);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      await tell(messageOf(error)).catch(() => {});
      pause = pauseAfter(error, { failures, random: random() });
      failures += 1;
    }
    await wall.sleep(Math.max(clock.wallUntil(at + step + lag), pause, 50), signal).catch(() => {});
  }
}

async function ask(
  one: OpenVenue,
  {
    context,
    at,
    since,
  }: { readonly context: CollectorContext; readonly at: number; readonly since: number | undefined },
): Promise<void> {
  const { venue, client } = one;
  const symbols = context.symbols();
  const [marks = [], intervals = [], interest] = await Promise.all([
    client.marks?.(symbols, at),
    client.intervals?.(symbols),
    client.openInterest === undefined
      ? pastInterest(client, { symbols, at })
      : client.openInterest(symbols, at),
  ]);
  const hours = new Map(intervals.map((row) => [row.symbol, row.hours]));
  const there = <Row extends { readonly symbol: string }>(row: Row): Row => ({
    ...row,
    symbol: marketAt(venue.name, row.symbol),
  });
  await context.write(
    'venueMarks',
    marks.map((row): VenueMark => ({ ...there(row), fundingHours: hours.get(row.symbol) ?? 0 })),
  );
  await context.write('venueOpenInterest', interest.map(there));
  // Settlements come last because they may take a while.
  const settled = await settledBeside(one, { symbols, at, since });
  await context.write('venueFunding', settled.map(there));
}

/** Returns each symbol's newest open interest from a venue that offers only past values, one symbol per request. */
async function pastInterest(
  client: OpenVenue['client'],
  { symbols, at }: { readonly symbols: readonly string[]; readonly at: number },
): Promise<OpenInterest[]> {
  const rows: OpenInterest[] = [];
  const failed = await eachBounded(symbols, {
    limit: parallel,
    ends: isRefusal,
    async work(symbol) {
      const page = { from: at - 2 * step, to: at };
      const newest = (await client.pastOpenInterest?.(symbol, page))?.at(-1);
      if (newest !== undefined) rows.push(newest);
    },
  });
  // A symbol may not be traded at this venue. The venue itself has failed if it refused or if no symbol gave a row.
  const [first] = failed;
  if (first !== undefined && (rows.length === 0 || isRefusal(first.error))) throw first.error;
  return rows;
}
