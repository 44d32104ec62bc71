import { contract } from '../../contract/index.ts';
import { stream } from '../../contract/stream.ts';
import { iso, minute } from '../../runtime/units.ts';
import { round } from '../analytics/statistics.ts';
import { runOf } from '../archive/owner.ts';
import type { MarketSource } from '../archive/sources.ts';
import type { ListedMarkets } from '../collecting/universe.ts';
import type { Handler, ServiceState } from './handler.ts';
import { publishedFearGreed } from './signals.ts';

const extensions = Object.entries(contract).flatMap(([name, endpoint]) =>
  'extension' in endpoint && endpoint.extension === true ? [name] : [],
);

export const meta: Handler<'meta'> = {
  needs: [],
  uses: ['state', 'listed', 'observations'],
  async answer(_query, context) {
    const { now, universe, feeds, state } = context;
    const published = await publishedFearGreed(context);
    const run = await runOf(context.archive);
    const pages = state.venues?.[0]?.pages;
    return {
      source: state.source,
      run,
      venue: state.venue,
      marketTime: iso(now),
      speed: state.speed,
      ready: state.ready,
      backfill: round(state.backfill, 4),
      version: state.version,
      symbols: [...universe],
      ...listedFields(context.listed),
      feeds: (await feeds()).flatMap(({ feed, lastUpdate, problem }) =>
        groupBySource(feed, universe, state).map((source) => ({
          name: feed,
          ...source,
          ...(lastUpdate === null
            ? {}
            : { lastUpdate: iso(lastUpdate), ageMinutes: round(Math.max(0, now - lastUpdate) / minute, 1) }),
          fresh: problem === null && lastUpdate !== null,
          ...(problem === null ? {} : { problem }),
        })),
      ),
      fearGreed: published === undefined ? 'estimated' : 'published',
      ...liquidationsCoverage(state),
      pages: pages && [...pages],
      extensions: context.prices === undefined ? extensions : [...extensions, stream.name],
    };
  },
};

const listedFields = (listed: ListedMarkets = new Map()) =>
  listed.size === 0
    ? {}
    : {
        listed: [...listed.keys()],
        kinds: Object.fromEntries(
          [...listed.values()].flatMap(({ symbol, kind }) => (kind === undefined ? [] : [[symbol, kind]])),
        ),
      };

function liquidationsCoverage({ venues: [primary] = [] }: ServiceState) {
  const { liquidations } = primary?.roles ?? {};
  return liquidations && { liquidations: liquidations.all ? ('ALL' as const) : ('ONE_A_SECOND' as const) };
}

/** Returns the sources of a feed; if there are several, each with its symbols. */
function groupBySource(
  feed: string,
  universe: readonly string[],
  state: ServiceState,
): { source: MarketSource; symbols?: string[] }[] {
  const groups = [...Map.groupBy(universe, (symbol) => state.sourceOf(feed, symbol))];
  const [first, ...more] = groups;
  if (first === undefined) return [{ source: state.source }];
  return more.length === 0
    ? [{ source: first[0] }]
    : groups.map(([source, symbols]) => ({ source, symbols }));
}
