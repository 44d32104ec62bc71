import { z } from 'zod';
import { bandsOf } from '../alert/bands.ts';
import { likelierState, regimeTones } from '../alert/regime.ts';
import { namedOnly } from '../alert/subscription.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { labelTitle, marketName, percent, share, span, time as timeOf, words } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { hour } from '../runtime/units.ts';
import { agreedSchema, nextAgreed } from './kit/agreed.ts';
import { defineEpisodes, type Look, lostData, maxDataGap, setting } from './kit/define-episodes.ts';
import type { Transition } from './kit/episode.ts';
import { knownTime } from './kit/known.ts';
import { points, series } from './kit/series.ts';

/** The state of a market that is between the two sides, and on neither. */
const betweenSides = 'TRANSITION';
/** The key of the whole market, whose regime is that of bitcoin. */
const wholeMarket = 'market';
const bitcoin = 'BTCUSDT';

/** The side before a turn, and the price at the turn, if known. */
const note = z.object({ from: z.string(), price: z.number().nullable() });
type Turn = Transition<z.output<typeof note>>;

/** What is shown of a market; `whole` is known of the whole market alone. */
interface Shown {
  readonly key: string;
  readonly state: string;
  readonly score: number;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly transition: { readonly to: string } | null;
  readonly price?: number | undefined;
  readonly whole?: {
    readonly volatility: string;
    readonly dataHealth: string;
    readonly history: EndpointAnswer<'regimeHistory'>['data'] | undefined;
  };
}
type Seen = Shown & Look<z.output<typeof note>> & { readonly lost?: number };

/** What is remembered of a market. `likelier` is the state that is likelier than the published one. */
const remembered = z.object({
  dataTime: z.number(),
  regime: agreedSchema(z.string()),
  likelier: z.string().nullable(),
});

/**
 * Alerts when the regime turns from one side to another: of the whole market, and of each market that a chat subscribes to by
 * name. Each turn is one alert, which lasts as long as the regime: it is updated every `update`, when the trend stalls or
 * goes on, and when another state becomes the likeliest; the next turn ends it. A transition that returns to its side is no
 * turn. A turn describes what has happened and claims no direction, which the recorded years deny.
 *
 * The service's label has its own hysteresis: `confirm` is for a service that publishes the likeliest state without
 * one. While the service says that its data is DOWN, the market's regime is not known and changes nothing.
 */
export default defineEpisodes({
  name: 'regime-transition',
  description: msg('The market, or a market subscribed to by name, turns between risk-on and risk-off'),
  preset: 'standard',
  smallest: () => msg('a turn from one side to the other'),
  schedule: '30 */5 * * * *',
  cost: 'up to three requests, one of them price-move’s',
  options: {
    update: setting.duration('24h', 'how often a regime’s message is updated quietly (edits don’t notify)'),
    confirm: setting.integer(1, 'data timestamps that must agree; the service’s own label needs no more'),
  },
  note,
  memory: z.object({ markets: z.record(z.string(), remembered) }),
  rules: () => ({ settle: Number.POSITIVE_INFINITY }),
  sample: () => ({
    transition: { side: 'RISK_OFF', severity: 'warning', note: { from: 'RISK_ON', price: null } },
    seen: {
      key: wholeMarket,
      state: 'RISK_OFF',
      score: -47,
      probabilities: { RISK_ON: 0.18, RISK_OFF: 0.65, TRANSITION: 0.17 },
      transition: null,
      whole: { volatility: 'HIGH_VOL', dataHealth: 'OK', history: [] },
    },
  }),
  async observe({ data, state, symbols, named: byName = symbols, signal }) {
    const named = byName.filter((symbol) => symbol !== bitcoin);
    const [answer, overview, markets] = await Promise.all([
      data.regimeProbabilities({}, signal),
      // The overview is only for the price beside the regime. Without it, the regime is reported without a price.
      ifAnswered(data.marketOverview({}, signal)),
      named.length > 0 ? ifAnswered(data.regimeMarkets({}, signal)) : undefined,
    ]);
    const { memory, values } = state ?? {};
    const known = memory?.markets[wholeMarket];
    const mayTell = known && (answer.current.state !== known.regime.value || values?.market?.open);
    // The history, a week, is only for the chart.
    const past = mayTell ? await ifAnswered(data.regimeHistory({ days: 7 }, signal)) : undefined;
    const prices = new Map(overview?.coins.map(({ symbol, price }) => [symbol, price]));
    const followed = new Set([...named, ...Object.keys(values ?? {})]);
    return {
      answer,
      prices,
      history: past?.data,
      markets: (markets?.data ?? []).filter(({ symbol }) => symbol !== bitcoin && followed.has(symbol)),
    };
  },

  look({ answer, prices, history, markets }, { options, memory, values, now }) {
    const { current, probabilities, transition, dataHealth } = answer;
    const { state, score } = current;
    const whole = { volatility: answer.volatilityRegime.regime, dataHealth, history };
    const shown: readonly (Shown & { readonly symbol: string; readonly timestamp: string })[] = [
      { ...answer, key: wholeMarket, symbol: bitcoin, state, score, probabilities, transition, whole },
      ...markets.map((market) => ({ ...market, key: market.symbol })),
    ];
    const next = { ...memory?.markets };
    const seen = shown.flatMap(({ symbol, timestamp, ...about }): Seen[] => {
      const { key } = about;
      const [at, price] = [knownTime(Date.parse(timestamp), now), prices.get(symbol)];
      const past = memory?.markets[key];
      const isDown = key === wholeMarket && dataHealth === 'DOWN';
      if (past && (at <= past.dataTime || isDown)) return [];
      const regime = nextAgreed(past?.regime, { seen: about.state, confirm: options.confirm });
      const likelier = about.transition?.to ?? null;
      next[key] = { dataTime: at, regime, likelier };
      const { open, stands = null } = values[key] ?? {};
      const to = regime.value;
      const changed = past !== undefined && (to !== past.regime.value || likelier !== past.likelier);
      const due = at - (open?.saidAt ?? at) >= options.update;
      const sample = {
        at,
        // If the market is between the sides at the baseline, TRANSITION counts as its side: the first side after it is
        // then a turn as well.
        side: to === betweenSides && stands !== null ? null : to,
        strong: true,
        severity: 'warning' as const,
        renew: regime.pending === null && (changed || due),
        ...(to !== stands && { note: { from: stands ?? betweenSides, price: price ?? null } }),
      };
      return [{ ...about, price, samples: [sample] }];
    });
    // A market that is not followed any more is forgotten.
    const at = knownTime(Date.parse(answer.timestamp), now);
    const unknown = { state: betweenSides, score: 0, probabilities: {}, transition: null, samples: [] };
    const gone = Object.entries(values).flatMap(([key, { seen }]): Seen[] =>
      key === wholeMarket || at - seen <= maxDataGap ? [] : [{ key, gone: at, lost: seen, ...unknown }],
    );
    for (const { key } of gone) delete next[key];
    return { seen: [...seen, ...gone], memory: { markets: next } };
  },

  labelsOf: (key, to) => (key === wholeMarket ? { to } : { symbol: key, to, ...namedOnly }),

  tell(turn, { seen }) {
    const { key, state, score, probabilities, whole } = seen;
    const { status, side: to, note, since, seen: at } = turn;
    const symbol = key === wholeMarket ? bitcoin : key;
    if (seen.lost !== undefined) return { ...lostData(marketName(symbol), seen.lost), facts: [] };
    const likelier = turn.ended ? undefined : likelierState(seen, since);
    const rows = series(whole?.history ?? [], { now: at - 1 });
    const scores = [...rows.map((row) => ({ ...row, state: row.hmm_state })), { state, score, at }];
    return {
      title: ofMarket(key, likelier ?? titleOf(turn, seen, symbol)),
      summary: meanings[state] ?? msg('A regime this version has no description of.'),
      facts: [
        [msg('Turn'), join([labelTitle(note?.from ?? betweenSides), words(to)], ' → ')],
        status !== 'firing' && [msg('Now'), labelTitle(state)],
        [
          msg('Probability'),
          join(
            Object.entries(probabilities)
              .filter(([each]) => each !== betweenSides)
              .map(([each, probability]) => join([labelTitle(each), share(probability)], ' ')),
            ' · ',
          ),
        ],
        whole && [msg('Volatility'), labelTitle(whole.volatility)],
        whole && whole.dataHealth !== 'OK' && [msg('Data'), labelTitle(whole.dataHealth)],
      ],
      // The chart shows the score and, as bands behind it, the regimes as they were published.
      picture: {
        subject: msg('Bitcoin’s regime and its score'),
        line: [msg('Score'), rows.length > 1 ? points(scores, ({ score }) => score) : []],
        bands: bandsOf(scores, (state) => regimeTones[state], 2 * hour),
      },
    };
  },
});

const ofMarket = (key: string, text: Text): Text =>
  key === wholeMarket ? text : msg('{symbol}: {text}', { symbol: marketName(key), text });

function titleOf(
  { status, ended, side: to, since, seen, note }: Turn,
  { state: now, price = Number.NaN }: Shown,
  symbol: string,
): Text {
  const { from = betweenSides, price: before } = note ?? {};
  if (status === 'firing') return msg('Regime: {to} (was {from})', { to: words(to), from: words(from) });
  const values = { regime: labelTitle(to), now: words(now), since: timeOf(since), age: span(seen - since) };
  const growth = price / (before && before > 0 ? before : Number.NaN);
  if (Number.isNaN(growth))
    return ended ? msg('{regime} is over, now {now}', values) : msg('{regime} since {since}, {age}', values);
  const moved = { ...values, symbol: marketName(symbol), move: percent((growth - 1) * 100, 1) };
  return ended
    ? msg('{regime} is over, now {now}; {symbol} {move} meanwhile', moved)
    : msg('{regime} since {since}, {age}; {symbol} {move} since', moved);
}

const meanings: Readonly<Record<string, Text>> = {
  RISK_ON: msg('Recent returns have been good for their risk; this says nothing about the next day’s.'),
  RISK_OFF: msg(
    'The price has been falling against its usual risk; this says nothing about the next day’s return.',
  ),
  TRANSITION: msg('The last trend has stalled, without a direction of its own.'),
};
