import { z } from 'zod';
import type { Annotations, Change, Severity, Tone } from '../alert/alert.ts';
import { bandsOf } from '../alert/bands.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { number, percent, share, signed, span, time as timeOf, title, words } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { duration, hour } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { charted, points, series } from './kit/series.ts';

/** It is between the sides, and on none of them. */
const between = 'TRANSITION';
/** The market's regime is bitcoin's, and so is its price. */
const leader = 'BTCUSDT';

const severityOf = (to: string): Severity => (to === 'RISK_OFF' ? 'critical' : 'warning');

const turned = z.object({
  from: z.string(),
  to: z.string(),
  at: z.number(),
  /** Of bitcoin at the turn; null where it was not known. */
  price: z.number().nullable(),
  /** When its message was last brought up to date. */
  saidAt: z.number(),
});
type Turn = z.output<typeof turned>;

/**
 * Turns of the market regime from one side to another. Each turn is one alert with labels `{ kind, to }`, which lives
 * as long as the regime: it is brought up to date every `update` and when the trend stalls or goes on, and the next turn
 * ends it. A transition that returns to its side is no turn.
 *
 * The service's label changes at once, by its own hysteresis: `confirm` is for a service that publishes the likeliest
 * state raw. While the service says that its data is DOWN, its regime is not known and changes nothing.
 */
export default defineDetector({
  name: 'regime-transition',
  description: msg('The market turns between risk-on and risk-off'),
  preset: 'quiet',
  claim: {
    // A side this version does not know has no direction it could say.
    of: ({ to }) => (to === 'RISK_ON' ? 'up' : to === 'RISK_OFF' ? 'down' : null),
    said: msg('the way of the turn'),
  },
  schedule: '30 */5 * * * *',
  cost: 'two requests, one of them price-move’s',
  options: z.object({
    update: duration
      .prefault('24h')
      .describe('how often a regime’s message is updated quietly (edits don’t notify)'),
    confirm: z
      .int()
      .min(1)
      .default(1)
      .describe('data timestamps that must agree; the service’s own label needs no more'),
  }),
  state: z.object({
    dataTime: z.number(),
    /** Confirmed; it may be between the sides. */
    regime: z.string(),
    /** The last side it was on; null: none yet. */
    side: z.string().nullable(),
    pending: z.object({ regime: z.string(), count: z.int() }).nullable(),
    /** The turn people know of, while its regime lasts. */
    turn: turned.nullable(),
  }),
  sample: (now) =>
    change(
      'firing',
      { from: 'RISK_ON', to: 'RISK_OFF', at: now, price: null, saidAt: now },
      {
        answer: {
          current: { state: 'RISK_OFF', legacyRegime: 'DISTRIBUTION', confidence: 0.83, score: -0.47 },
          probabilities: { RISK_ON: 0.05, RISK_OFF: 0.83, TRANSITION: 0.12 },
          volatilityRegime: { regime: 'HIGH_VOL', percentile: 88 },
          dataHealth: 'OK',
          regimeMultiplier: 0.7,
        },
        dataTime: now,
        price: undefined,
      },
    ),
  async observe({ data, state, signal }): Promise<Observation> {
    const [answer, overview] = await Promise.all([
      data.regimeProbabilities({}, signal),
      // A figure beside the regime: without it the regime is told all the same.
      ifAnswered(data.marketOverview({}, signal)),
    ]);
    const { state: seen } = answer.current;
    const turns = state !== undefined && (seen !== state.regime || state.turn !== null);
    const history = turns ? await pastOf(data, signal) : undefined;
    return { answer, price: overview?.coins.find(({ symbol }) => symbol === leader)?.price, history };
  },

  step(state, { answer, price, history }: Observation, { options }) {
    const dataTime = Date.parse(answer.timestamp);
    const seen = answer.current.state;
    if (state === undefined) {
      const side = seen === between ? null : seen;
      return { state: { dataTime, regime: seen, side, pending: null, turn: null }, changes: [] };
    }
    if (dataTime <= state.dataTime || answer.dataHealth === 'DOWN') return { state, changes: [] };

    const count =
      seen === state.regime ? 0 : state.pending?.regime === seen ? (state.pending?.count ?? 0) + 1 : 1;
    if (count > 0 && count < options.confirm)
      return { state: { ...state, dataTime, pending: { regime: seen, count } }, changes: [] };

    const context = { answer, dataTime, price, history };
    const next = { ...state, dataTime, regime: seen, pending: null };
    if (seen !== between && seen !== state.side) {
      const turn: Turn = {
        ...{ from: state.side ?? between, to: seen, at: dataTime, saidAt: dataTime },
        price: price ?? null,
      };
      return {
        state: { ...next, side: seen, turn },
        changes: [
          ...(state.turn === null ? [] : [change('resolved', state.turn, context)]),
          change('firing', turn, context),
        ],
      };
    }
    const { turn } = state;
    if (turn === null || (count === 0 && dataTime - turn.saidAt < options.update))
      return { state: next, changes: [] };
    const said = { ...turn, saidAt: dataTime };
    return { state: { ...next, turn: said }, changes: [change('updated', said, context)] };
  },
});

interface Observation {
  readonly answer: EndpointAnswer<'regimeProbabilities'>;
  readonly price: number | undefined;
  readonly history?: EndpointAnswer<'regimeHistory'>['data'] | undefined;
}

/** Days of the chart. */
const shown = 7;

/** Its chart alone: without it the regime is told all the same. */
async function pastOf(data: Pick<DataClient, 'regimeHistory'>, signal: AbortSignal) {
  return (await ifAnswered(data.regimeHistory({ days: shown }, signal)))?.data;
}

/** The score, and behind it the regimes as they were published. */
function chartOf({ history = [], answer, dataTime }: Context): Pick<Annotations, 'chart'> {
  const rows = series(history, dataTime - 1);
  if (rows.length < 2) return {};
  const now = { at: dataTime, state: answer.current.state, score: answer.current.score };
  const all = [...rows.map(({ at, hmm_state, score }) => ({ at, state: hmm_state, score })), now];
  return {
    chart: charted(msg('Bitcoin’s regime and its score'), {
      unit: '',
      series: [{ name: msg('Score'), points: points(all, ({ score }) => score) }],
      bands: bandsOf(all, (state) => tones[state], 2 * hour),
    }),
  };
}

const tones: Readonly<Record<string, Tone>> = { RISK_ON: 'good', RISK_OFF: 'bad', TRANSITION: 'caution' };

interface Context {
  readonly answer: Pick<
    EndpointAnswer<'regimeProbabilities'>,
    'current' | 'probabilities' | 'volatilityRegime' | 'dataHealth' | 'regimeMultiplier'
  >;
  readonly dataTime: number;
  /** Of bitcoin; undefined where it is not known. */
  readonly price: number | undefined;
  /** Hour by hour; undefined where it was not asked for or could not be had. */
  readonly history?: EndpointAnswer<'regimeHistory'>['data'] | undefined;
}

function change(status: Change['status'], turn: Turn, context: Context): Change {
  const { answer, dataTime } = context;
  const { from, to } = turn;
  const { current, probabilities, volatilityRegime, dataHealth, regimeMultiplier } = answer;
  const annotations: Annotations = {
    title: titleOf(status, turn, context),
    summary: meaning(current.state),
    facts: [
      { name: msg('Turn'), value: join([title(from), words(to)], ' → ') },
      ...(status === 'firing' ? [] : [{ name: msg('Now'), value: title(current.state) }]),
      { name: msg('Confidence'), value: share(current.confidence) },
      ...Object.entries(probabilities).map(([name, value]) => ({
        name: msg('p({state})', { state: words(name) }),
        value: share(value),
      })),
      { name: msg('Label'), value: title(current.legacyRegime) },
      { name: msg('Score'), value: signed(current.score) },
      { name: msg('Volatility'), value: title(volatilityRegime.regime) },
      { name: msg('Multiplier'), value: number(regimeMultiplier) },
      ...(dataHealth === 'OK' ? [] : [{ name: msg('Data'), value: title(dataHealth) }]),
    ],
    ...chartOf(context),
    dataTime,
  };
  return { status, labels: { kind: 'regime-transition', to }, severity: severityOf(to), annotations };
}

function titleOf(
  status: Change['status'],
  { from, to, at, price: before }: Turn,
  { answer, dataTime, price }: Context,
): Text {
  if (status === 'firing') return msg('Regime: {to} (was {from})', { to: words(to), from: words(from) });
  const move =
    price === undefined || before === null || !(before > 0)
      ? undefined
      : percent((price / before - 1) * 100, 1);
  const regime = title(to);
  if (status === 'resolved') {
    const now = words(answer.current.state);
    return move === undefined
      ? msg('{regime} is over, now {now}', { regime, now })
      : msg('{regime} is over, now {now}; BTC {move} meanwhile', { regime, now, move });
  }
  const since = timeOf(at);
  const age = span(dataTime - at);
  return move === undefined
    ? msg('{regime} since {since}, {age}', { regime, since, age })
    : msg('{regime} since {since}, {age}; BTC {move} since', { regime, since, age, move });
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
const meaning = (to: string): Text => meanings[to] ?? msg('A regime this version has no description of.');
