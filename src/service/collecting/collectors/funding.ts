import { day, hour, minute } from '../../../runtime/units.ts';
import type { SettledFunding } from '../../archive/archive.ts';
import type { PageRequest } from '../../venues/venue.ts';
import { type CollectorContext, defineCollector, defineHistory } from './collector.ts';

/** The longest outage that a round makes up for, ms. After a longer one the gap is repaired symbol by symbol. */
const maxOutage = day;
/** How far each round looks back beyond the last one, ms: a settlement may be published late. */
const overlap = 10 * minute;

/** Collects settled funding: every 8 hours, for many coins every 4 hours or every hour. The interval may change. */
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
        // A full response triggers another request. With one row less, a page of hourly settlements needs only one.
        pageSteps: rows - 1,
        wanted: Math.min(2 * 365 * day, kept * every),
        // For hourly settlements one response is enough, about 20 days: 30 days would double the wait at the start.
        needed: () => Math.min(30 * day, (rows - 1) * every),
        fetch: fetchPage,
      }),
    ];
  },
  /** Needs one request, or a few, if the venue returns the settlements of all markets together: then of all listed ones. */
  async collect(context, { now, since, catchUp }) {
    const { funding } = context.exchanges.venue.roles;
    if (funding?.together !== true) return catchUp();
    // How far the first round looks back: far enough to include every symbol's last settlement.
    const reach = funding.every + hour;
    const from = since === undefined ? now - reach : Math.max(now - maxOutage, since - overlap);
    const wanted = new Set([...context.symbols(), ...context.listed().keys()]);
    const rows = await fetchPage([...wanted], { from, to: now, urgent: true }, context);
    await context.write(
      'funding',
      rows.filter(({ symbol }) => wanted.has(symbol)),
    );
  },
});

const fetchPage = async (
  of: string | readonly string[],
  page: PageRequest,
  { exchanges }: CollectorContext,
): Promise<SettledFunding[]> => (await exchanges.markets.funding?.(of, page)) ?? [];
