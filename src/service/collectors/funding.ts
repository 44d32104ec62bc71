import { day, hour, minute } from '../../runtime/units.ts';
import type { SettledFunding } from '../archive/archive.ts';
import { settledIn } from '../collecting/settlements.ts';
import type { PageRequest } from '../venues/venue.ts';
import { type CollectorContext, defineCollector, defineHistory } from './collector.ts';

/** A longer outage is repaired symbol by symbol. */
const longest = day;
/** A settlement may be published late. */
const overlap = 10 * minute;

/** Settled funding: every 8 hours, for many coins every 4 or every hour, and the interval may change. */
export default defineCollector({
  name: 'funding',
  every: 5 * minute,
  feedsOn: ({ funding }) => funding !== undefined,
  histories({ exchanges: { venue } }) {
    const {
      every,
      rows,
      together,
      kept = Number.POSITIVE_INFINITY,
    } = venue.roles.funding ?? {
      every: hour,
      rows: 1,
      together: false,
    };
    return [
      defineHistory({
        series: 'funding',
        step: every,
        irregular: true,
        late: !together,
        // What fills an answer is asked on from: a page of hourly settlements does not.
        pageSteps: rows - 1,
        wanted: Math.min(2 * 365 * day, kept * every),
        // Of hourly settlements one answer: 20 days, where a start would wait twice as long for 30.
        needed: () => Math.min(30 * day, (rows - 1) * every),
        fetch: settlements,
      }),
    ];
  },
  /** One request, or a few, for all symbols, where the venue answers for all. */
  async collect(context, { now, since, catchUp }) {
    const { funding } = context.exchanges.venue.roles;
    if (funding?.together !== true) return catchUp();
    // What a first round looks back: the last settlement of every symbol lies in it.
    const reach = funding.every + hour;
    const from = since === undefined ? now - reach : Math.max(now - longest, since - overlap);
    const rows = await settlements(context.symbols(), { context, page: { from, to: now, urgent: true } });
    const tracked = new Set(context.symbols());
    await context.write(
      'funding',
      rows.filter(({ symbol }) => tracked.has(symbol)),
    );
  },
});

const settlements = (
  of: string | readonly string[],
  { page, context: { exchanges } }: { readonly page: PageRequest; readonly context: CollectorContext },
): Promise<SettledFunding[]> =>
  settledIn(page, { of, client: exchanges.markets, rows: exchanges.venue.roles.funding?.rows ?? 0 });
