import { z } from 'zod';
import type { Tone } from '../alert/alert.ts';
import { bandsOf } from '../alert/bands.ts';
import { number, percent, share, signed, span, time as timeOf, title, words } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { hour, msOf } from '../runtime/units.ts';
import { agreedSchema, nextAgreed } from './kit/agreed.ts';
import type { Transition } from './kit/episode.ts';
import { byDataTime, defineEpisodes, type FactPair, setting } from './kit/episodes.ts';
import { points, series } from './kit/series.ts';

/** The state of a market that is between the two sides, and on neither. */
const betweenSides = 'TRANSITION';

/** The side before a turn, and bitcoin's price at the turn, if known: the market's regime is that of bitcoin. */
const note = z.object({ from: z.string(), price: z.number().nullable() });
type Turn = Transition<z.output<typeof note>>;

/**
 * Alerts when the market regime turns from one side to another. Each turn is one alert with labels `{ kind, to }`,
 * which lasts as long as the regime: it is updated every `update` and when the trend stalls or goes on, and the next
 * turn ends it. A transition that returns to its side is no turn.
 *
 * The service's label has its own hysteresis: `confirm` is for a service that publishes the likeliest state without
 * one. While the service says that its data is DOWN, its regime is not known and changes nothing.
 */
export default defineEpisodes({
  name: 'regime-transition',
  description: msg('The market turns between risk-on and risk-off'),
  preset: 'quiet',
  claim: {
    // A side that this version does not know implies no direction.
    directionOf: ({ to }) => (to === 'RISK_ON' ? 'up' : to === 'RISK_OFF' ? 'down' : null),
    phrase: msg('the way of the turn'),
  },
  schedule: '30 */5 * * * *',
  cost: 'two requests, one of them price-move’s',
  steady: byDataTime,
  options: {
    update: setting.duration('24h', 'how often a regime’s message is updated quietly (edits don’t notify)'),
    confirm: setting.integer(1, 'data timestamps that must agree; the service’s own label needs no more'),
  },
  note,
  /** `regime` is the confirmed state, which may be TRANSITION. */
  memory: z.object({ dataTime: z.number(), regime: agreedSchema(z.string()) }),
  rules: () => ({ settle: Number.POSITIVE_INFINITY }),
  sample: () => ({
    transition: { side: 'RISK_OFF', severity: 'critical', note: { from: 'RISK_ON', price: null } },
    seen: {
      key: 'market',
      current: { state: 'RISK_OFF', legacyRegime: 'DISTRIBUTION', confidence: 0.83, score: -0.47 },
      probabilities: { RISK_ON: 0.05, RISK_OFF: 0.83, TRANSITION: 0.12 },
      volatility: 'HIGH_VOL',
      dataHealth: 'OK',
      regimeMultiplier: 0.7,
      price: undefined,
      history: undefined,
    },
  }),
  async observe({ data, state, signal }) {
    const [answer, overview] = await Promise.all([
      data.regimeProbabilities({}, signal),
      // The overview is only for the price beside the regime. Without it, the regime is reported without a price.
      ifAnswered(data.marketOverview({}, signal)),
    ]);
    const { memory, values } = state ?? {};
    const mayTell = memory && (answer.current.state !== memory.regime.value || values?.market?.open);
    // The history, a week, is only for the chart.
    const past = mayTell ? await ifAnswered(data.regimeHistory({ days: 7 }, signal)) : undefined;
    const price = overview?.coins.find(({ symbol }) => symbol === 'BTCUSDT')?.price;
    return { answer, price, history: past?.data };
  },

  look({ answer, price, history }, { options, memory, values }) {
    const at = msOf(answer.timestamp);
    if (memory && (at <= memory.dataTime || answer.dataHealth === 'DOWN')) return { seen: [], memory };
    const regime = nextAgreed(memory?.regime, { seen: answer.current.state, confirm: options.confirm });
    const { open, stands = null } = values.market ?? {};
    const to = regime.value;
    const changed = memory !== undefined && to !== memory.regime.value;
    const due = at - (open?.saidAt ?? at) >= options.update;
    const sample = {
      at,
      // If the market is between the sides at the baseline, TRANSITION counts as its side: the first side after it is
      // then a turn as well.
      side: to === betweenSides && stands !== null ? null : to,
      strong: true,
      severity: to === 'RISK_OFF' ? ('critical' as const) : ('warning' as const),
      renew: regime.pending === null && (changed || due),
      ...(to !== stands && { note: { from: stands ?? betweenSides, price: price ?? null } }),
    };
    const { current, probabilities, volatilityRegime, dataHealth, regimeMultiplier } = answer;
    const volatility: string = volatilityRegime.regime;
    const about = { current, probabilities, volatility, dataHealth, regimeMultiplier, price, history };
    return { seen: [{ key: 'market', samples: [sample], ...about }], memory: { dataTime: at, regime } };
  },

  tell(turn, { seen }) {
    const { current, probabilities, volatility, dataHealth, regimeMultiplier, price, history = [] } = seen;
    const { status, side: to, note, seen: at } = turn;
    const rows = series(history, { now: at - 1 });
    const scores = [...rows.map((row) => ({ ...row, state: row.hmm_state })), { ...current, at }];
    return {
      labels: { to },
      title: titleOf(turn, { now: current.state, price }),
      summary: meanings[current.state] ?? msg('A regime this version has no description of.'),
      facts: [
        [msg('Turn'), join([title(note?.from ?? betweenSides), words(to)], ' → ')],
        status !== 'firing' && [msg('Now'), title(current.state)],
        [msg('Confidence'), share(current.confidence)],
        ...Object.entries(probabilities).map(
          ([name, value]): FactPair => [msg('p({state})', { state: words(name) }), share(value)],
        ),
        [msg('Label'), title(current.legacyRegime)],
        [msg('Score'), signed(current.score)],
        [msg('Volatility'), title(volatility)],
        [msg('Multiplier'), number(regimeMultiplier)],
        dataHealth !== 'OK' && [msg('Data'), title(dataHealth)],
      ],
      // The chart shows the score and, as bands behind it, the regimes as they were published.
      picture: {
        subject: msg('Bitcoin’s regime and its score'),
        line: [msg('Score'), rows.length > 1 ? points(scores, ({ score }) => score) : []],
        bands: bandsOf(scores, { toneOf: (state) => tones[state], validFor: 2 * hour }),
      },
    };
  },
});

const tones: Readonly<Record<string, Tone>> = { RISK_ON: 'good', RISK_OFF: 'bad', TRANSITION: 'caution' };

function titleOf(
  { status, ended, side: to, since, seen, note }: Turn,
  { now, price = Number.NaN }: { readonly now: string; readonly price: number | undefined },
): Text {
  const { from = betweenSides, price: before } = note ?? {};
  if (status === 'firing') return msg('Regime: {to} (was {from})', { to: words(to), from: words(from) });
  const values = { regime: title(to), now: words(now), since: timeOf(since), age: span(seen - since) };
  const growth = price / (before && before > 0 ? before : Number.NaN);
  if (Number.isNaN(growth))
    return ended ? msg('{regime} is over, now {now}', values) : msg('{regime} since {since}, {age}', values);
  const moved = { ...values, move: percent((growth - 1) * 100, 1) };
  return ended
    ? msg('{regime} is over, now {now}; BTC {move} meanwhile', moved)
    : msg('{regime} since {since}, {age}; BTC {move} since', moved);
}

const meanings: Readonly<Record<string, Text>> = {
  RISK_ON: msg(
    'Bitcoin’s recent returns have been good for their risk; this says nothing about the next day’s.',
  ),
  RISK_OFF: msg(
    'Bitcoin has been falling against its usual risk; this says nothing about the next day’s return.',
  ),
  TRANSITION: msg('The last trend has stalled, without a direction of its own.'),
};
