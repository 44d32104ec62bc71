import { includesSymbol } from '../../alert/symbols.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import { count, labelTitle, share, usd } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { compile } from '../../rules/compile.ts';
import type { CommandContext } from '../../shell/command.ts';

/** How many of the latest deliveries are searched for the market's alerts. */
const maxSearched = 500;

/** The largest zone of each side, as a mark. */
export function largestZones(answer: EndpointAnswer<'liquidationZones'> | undefined, count = 1) {
  const zones = answer?.zones ?? [];
  return (['SHORT', 'LONG'] as const).flatMap((side) =>
    zones
      .filter((zone) => zone.side === side)
      .toSorted((a, b) => b.estimatedUsd - a.estimatedUsd)
      .slice(0, count)
      .map(({ price, estimatedUsd }) => ({
        name:
          side === 'LONG'
            ? msg('longs, est. {usd}', { usd: usd(estimatedUsd) })
            : msg('shorts, est. {usd}', { usd: usd(estimatedUsd) }),
        value: price * (1 - zoneHalfWidth),
        to: price * (1 + zoneHalfWidth),
        tone: side === 'LONG' ? ('bad' as const) : ('good' as const),
      })),
  );
}
/** Half the width of a zone of `/liquidations/zones`, a fraction of its price. */
const zoneHalfWidth = 0.0025;

/** Says how maps of liquidation levels fared. */
export function judgedText(judged: NonNullable<EndpointAnswer<'liquidationZones'>['judged']>): Text {
  const values = {
    share: share(judged.share),
    low: share(judged.low),
    high: share(judged.high),
    chance: share(judged.chance),
    placebo: share(judged.placebo),
    n: count(judged.liquidations),
    days: count(judged.days),
  };
  return judged.isBetter
    ? msg(
        'the largest quarter of levels took {share} of liquidated USD ({low} to {high}; {n} liquidations, {days} days). By chance {chance}, shuffled levels {placebo}',
        values,
      )
    : msg(
        'not shown to be better than chance: the largest quarter of levels took {share} of liquidated USD ({low} to {high}; {n} liquidations, {days} days). By chance {chance}, shuffled levels {placebo}',
        values,
      );
}

/** The price levels of the place's own alerts on the market, and when alerts about it were posted here; for others, none. */
export async function alertsOf(
  symbol: string,
  { store, caller, universe }: Pick<CommandContext, 'store' | 'caller' | 'universe'>,
) {
  if (caller.readByOthers === true) return { levels: [], moments: [] };
  const [rules, followed, sent] = await Promise.all([
    store.rules.of(caller.receiver),
    store.watchlist.of(caller.receiver),
    store.deliveries.recent(caller.receiver, maxSearched),
  ]);
  const levels = rules.flatMap((rule) => {
    const { symbols, paused, name } = rule;
    const list = symbols.includes('watchlist') ? [...symbols, ...followed] : symbols;
    if (paused || !includesSymbol(list, symbol, universe)) return [];
    return [...compile(rule).levels].flatMap(([metric, values]) =>
      metric === 'price.last' || metric.startsWith('close.')
        ? values.map((value) => ({ name: name ?? msg('your alert'), value }))
        : [],
    );
  });
  const alerts = sent.flatMap(({ alert }) => (alert?.labels.symbol === symbol ? [alert] : []));
  const moments = [...new Map(alerts.map((alert) => [alert.id, alert])).values()].map(
    ({ labels, startsAt }) => ({ name: labelTitle(labels.kind), at: startsAt }),
  );
  return { levels, moments };
}
