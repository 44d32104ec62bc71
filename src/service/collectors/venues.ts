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
/** Of questions about one symbol each. */
const parallel = 4;
const document = 'venues';
const problems = z.record(z.string(), z.string());

/** Why a venue beside the primary one does not answer, in words, by its name; one that answers is not there. */
export const venueProblems = async (
  archive: Pick<Archive, 'get'>,
): Promise<Readonly<Record<string, string>>> => problems.safeParse(await archive.get(document)).data ?? {};

/** What of a venue's present is of use beside the primary's. */
const isOfUse = ({ venue: { roles } }: OpenVenue): boolean =>
  (roles.marks ?? roles.openInterest ?? roles.pastOpenInterest) !== undefined;

/**
 * The other venues: of the symbols tracked, mark, running rate, open interest and what is settled, by what a few calls
 * give. Each is asked by itself, so that one that refuses or hangs costs none but itself.
 */
export default defineCollector({
  name: 'venues',
  // Without a role of the primary's: with other venues there is something to collect.
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

/** Every five market minutes, until the signal. Never rejects. */
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
  // Behind what is of now: it may take a while.
  const settled = await settledBeside(one, { symbols, at, since });
  await context.write('venueFunding', settled.map(there));
}

/** Where it is told of one symbol at a time, and of the past alone: the newest there is. */
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
  // A symbol may not be traded there; where none is told, or it refuses, it is the venue that fails.
  const [first] = failed;
  if (first !== undefined && (rows.length === 0 || isRefusal(first.error))) throw first.error;
  return rows;
}
