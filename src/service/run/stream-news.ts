import type { EndpointAnswer, EndpointName } from '../../contract/index.ts';
import { ifAnswered } from '../../runtime/errors.ts';
import { minute } from '../../runtime/units.ts';
import type { AnswerSource } from '../archive/sources.ts';
import type { StreamNews } from '../http/stream.ts';

/** How often the list of perpetuals is looked at, market ms. */
const listingsEvery = minute;
/** The most liquidations of one look, as /liquidations gives them. */
const most = 500;

/**
 * Returns a function that gives the liquidations, listings and regimes that came since its last call; those before the
 * first are no news.
 * @param ask answers as the endpoint of that name does
 */
export function createStreamNews({
  ask,
  now,
}: {
  readonly ask: <Name extends EndpointName>(name: Name, query: object) => Promise<EndpointAnswer<Name>>;
  /** Market ms. */
  readonly now: () => number;
}): { changed(source: AnswerSource): void; read(): Promise<readonly StreamNews[]> } {
  const hasChanged = new Set<AnswerSource>(['liquidations', 'regimes']);
  let known:
    | { readonly liquidations: ReadonlySet<string>; readonly listed: string; readonly regime: string }
    | undefined;
  let listingsAt = Number.NEGATIVE_INFINITY;

  const askIf = async <Name extends EndpointName>(isDue: boolean, name: Name, query: object) =>
    isDue ? await ifAnswered(ask(name, query)) : undefined;

  return {
    changed: (source) => void hasChanged.add(source),
    async read() {
      const areListingsDue = Math.abs(now() - listingsAt) >= listingsEvery;
      if (areListingsDue) listingsAt = now();
      const [liquidations, regime, listings] = await Promise.all([
        askIf(hasChanged.delete('liquidations'), 'liquidations', { limit: most }),
        askIf(hasChanged.delete('regimes'), 'regimeProbabilities', {}),
        askIf(areListingsDue, 'listings', { days: 1 }),
      ]);
      const past = known;
      const keys = liquidations?.data.map((row) => JSON.stringify(row));
      known = {
        liquidations: keys === undefined ? (past?.liquidations ?? new Set()) : new Set(keys),
        listed: listings?.data[0]?.timestamp ?? past?.listed ?? '',
        regime: regime?.timestamp ?? past?.regime ?? '',
      };
      if (past === undefined) return [];
      // Newest first, as the endpoints give them; told oldest first.
      const liquidated = liquidations?.data.filter((_, at) => !past.liquidations.has(keys?.[at] ?? '')) ?? [];
      const listed = listings?.data.filter(({ timestamp }) => timestamp > past.listed) ?? [];
      return [
        ...(liquidated.length === 0
          ? []
          : [{ event: 'liquidation' as const, data: { data: liquidated.toReversed() } }]),
        ...(listed.length === 0 ? [] : [{ event: 'listing' as const, data: { data: listed.toReversed() } }]),
        ...(regime === undefined || regime.timestamp === past.regime
          ? []
          : [{ event: 'regime' as const, data: { current: regime.current, timestamp: regime.timestamp } }]),
      ];
    },
  };
}
