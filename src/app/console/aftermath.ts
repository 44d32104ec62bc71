import type { Alert, Chart, Fact } from '../../alert/alert.ts';
import { horizons, type Outcome, priceSymbolOf } from '../../alert/outcome.ts';
import type { Card } from '../../card/card.ts';
import { marketName, percent, price, span } from '../../language/format.ts';
import { join, msg, type Text } from '../../language/text.ts';
import type { OutcomeLog } from '../../record/outcome-log.ts';
import { priceBetween } from '../../record/price-between.ts';
import type { Records } from '../../record/records.ts';
import { day, hour } from '../../runtime/units.ts';

interface AftermathOptions {
  readonly outcomes: Pick<OutcomeLog, 'posted' | 'prices'>;
  readonly records: Pick<Records, 'factOf'>;
  /** Name of the market that the prices belong to. */
  readonly market: string;
  /** Market time, ms. */
  readonly now: () => number;
}

/** How much of the price before the alert the chart shows, for comparison with what came after. */
const shownBefore = day;
/** How much of the price after the alert's end the chart shows, if that reaches beyond the last horizon. */
const shownAfter = 4 * hour;

/**
 * Returns a card of what the price did after an alert, as far as it is known, with the record of the alert's kind. Reads the
 * prices that are stored for the record, so it costs no request to the data service. Undefined if neither is known.
 */
export const aftermathOf =
  (options: AftermathOptions) =>
  async (alert: Alert): Promise<Card | undefined> => {
    const { outcomes, records, market, now } = options;
    const { labels, startsAt } = alert;
    const symbol = priceSymbolOf(labels);
    const record = records.factOf(labels.kind);
    const [hourly, posted] = await Promise.all([
      outcomes.prices(market, { symbol, since: startsAt - shownBefore }),
      record === undefined ? [] : outcomes.posted(market, { kind: labels.kind, symbol }),
    ]);
    const outcome = posted.find(({ firedAt }) => firedAt === startsAt);
    const looks = [0, ...horizons].map((horizon, turn) => {
      const at = startsAt + horizon;
      return { horizon, at, price: recordedAt(turn, outcome) ?? priceBetween(hourly, at) };
    });
    const [first, ...later] = looks;
    if (first?.price === undefined && record === undefined) return undefined;
    const facts: Fact[] = [
      ...(first?.price === undefined
        ? []
        : [
            { name: msg('When it began'), value: price(first.price) },
            ...later.map((look) => ({
              name: msg('{after} later', { after: span(look.horizon) }),
              value: priceChangeText(look, { from: first.price ?? 0, now: now() }),
            })),
          ]),
      ...(record === undefined ? [] : [record]),
    ];
    const until = Math.max(startsAt + Math.max(...horizons), (alert.endsAt ?? 0) + shownAfter);
    const chart = chartOf(alert, {
      symbol,
      points: [
        ...hourly.filter(({ at }) => at <= until).map(({ at, price }) => [at, price] as const),
        ...looks.flatMap(({ at, price }) => (price === undefined ? [] : [[at, price] as const])),
      ],
      level: first?.price,
    });
    return {
      title: msg('{market} price afterwards', { market: marketName(symbol) }),
      ...(isEstimated(looks, outcome) && { summary: msg('Partly read between two hourly prices.') }),
      facts,
      chart,
    };
  };

interface Look {
  readonly horizon: number;
  readonly at: number;
  readonly price: number | undefined;
}

function priceChangeText(
  { at, price: then }: Look,
  { from, now }: { readonly from: number; readonly now: number },
): Text {
  if (then !== undefined) return join([price(then), percent((then / from - 1) * 100)], ' · ');
  return at > now ? msg('not yet') : msg('not known');
}

/** The price that was recorded when the alert began, or at the horizon of that turn. */
const recordedAt = (turn: number, outcome: Outcome | undefined): number | null | undefined =>
  turn === 0 ? outcome?.price : outcome?.after[turn - 1];

/** Whether a price is estimated: one that was recorded at its time is exact, any other is interpolated between full hours. */
const isEstimated = (looks: readonly Look[], outcome: Outcome | undefined): boolean =>
  outcome?.estimated === true ||
  looks.some(
    ({ price, at }, turn) => price !== undefined && at % hour !== 0 && recordedAt(turn, outcome) !== price,
  );

function chartOf(
  { startsAt, worsenedAt, endsAt }: Alert,
  {
    symbol,
    points,
    level,
  }: {
    readonly symbol: string;
    readonly points: readonly (readonly [number, number])[];
    readonly level: number | undefined;
  },
): Chart | undefined {
  if (points.length < 2) return undefined;
  const moments = [
    { name: msg('Began'), at: startsAt, tone: 'caution' as const },
    ...(worsenedAt === undefined ? [] : [{ name: msg('Got worse'), at: worsenedAt, tone: 'bad' as const }]),
    ...(endsAt === null ? [] : [{ name: msg('Ended'), at: endsAt, tone: 'good' as const }]),
  ];
  return {
    title: msg('{market} price around the alert', { market: marketName(symbol) }),
    unit: 'USDT',
    series: [{ name: marketName(symbol), points: [...new Map(points)].sort(([a], [b]) => a - b) }],
    moments,
    ...(level !== undefined && {
      marks: [{ name: msg('When it began'), value: level, tone: 'neutral' as const }],
    }),
  };
}
