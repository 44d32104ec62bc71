import { z } from 'zod';
import type { Annotations, Tone } from '../alert/alert.ts';
import { bandsOf } from '../alert/bands.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { number, percent, share, signed, span, time as timeOf, title, words } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { duration, hour, msOf } from '../runtime/units.ts';
import { agreed, agreedOf } from './kit/agreed.ts';
import { defineEpisodes, type EpisodeTransition } from './kit/episodes.ts';
import { charted, points, series } from './kit/series.ts';

/** It is between the sides, and on none of them. */
const between = 'TRANSITION';
/** The market's regime is bitcoin's, and so is its price. */
const leader = 'BTCUSDT';

/** At the turn. */
const note = z.object({
  from: z.string(),
  /** Of bitcoin; null where it was not known. */
  price: z.number().nullable(),
});
type Turn = Pick<EpisodeTransition<z.output<typeof note>>, 'status' | 'side' | 'since' | 'note'>;

/**
 * Turns of the market regime from one side to another. Each turn is one alert with labels `{ kind, to }`, which lives
 * as long as the regime: it is brought up to date every `update` and when the trend stalls or goes on, and the next turn
 * ends it. A transition that returns to its side is no turn.
 *
 * The service's label changes at once, by its own hysteresis: `confirm` is for a service that publishes the likeliest
 * state raw. While the service says that its data is DOWN, its regime is not known and changes nothing.
 */
export default defineEpisodes({
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
  note,
  /** `regime`: confirmed; it may be between the sides. */
  memory: z.object({ dataTime: z.number(), regime: agreedOf(z.string()) }),
  rules: () => ({ settle: Number.POSITIVE_INFINITY }),
  sample(now) {
    const about = {
      since: now,
      severity: 'critical',
      peak: 'critical',
      seen: now,
      stands: 'RISK_OFF',
    } as const;
    return {
      transition: { status: 'firing', side: 'RISK_OFF', note: { from: 'RISK_ON', price: null }, ...about },
      seen: {
        key: 'market',
        samples: [],
        answer: {
          current: { state: 'RISK_OFF', legacyRegime: 'DISTRIBUTION', confidence: 0.83, score: -0.47 },
          probabilities: { RISK_ON: 0.05, RISK_OFF: 0.83, TRANSITION: 0.12 },
          volatilityRegime: { regime: 'HIGH_VOL', percentile: 88 },
          dataHealth: 'OK',
          regimeMultiplier: 0.7,
        },
        dataTime: now,
        price: undefined,
        history: undefined,
      },
    };
  },
  async observe({ data, state, signal }): Promise<Observation> {
    const [answer, overview] = await Promise.all([
      data.regimeProbabilities({}, signal),
      // A figure beside the regime: without it the regime is told all the same.
      ifAnswered(data.marketOverview({}, signal)),
    ]);
    const { memory, values } = state ?? {};
    const turns =
      memory !== undefined && (answer.current.state !== memory.regime.value || values?.market?.open);
    const history = turns ? await pastOf(data, signal) : undefined;
    return { answer, price: overview?.coins.find(({ symbol }) => symbol === leader)?.price, history };
  },

  look({ answer, price, history }: Observation, { options, memory, values }) {
    const dataTime = msOf(answer.timestamp);
    if (memory !== undefined && (dataTime <= memory.dataTime || answer.dataHealth === 'DOWN'))
      return { seen: [], memory };
    const regime = agreed(memory?.regime, answer.current.state, options.confirm);
    const { open, stands = null } = values.market ?? {};
    const to = regime.value;
    const changed = memory !== undefined && to !== memory.regime.value;
    const due = dataTime - (open?.saidAt ?? dataTime) >= options.update;
    const sample = {
      at: dataTime,
      // At the baseline it may be between the sides: a first side is then a turn as well.
      side: to === between && stands !== null ? null : to,
      strong: true,
      severity: to === 'RISK_OFF' ? ('critical' as const) : ('warning' as const),
      renew: regime.pending === null && (changed || due),
      ...(to !== stands && { note: { from: stands ?? between, price: price ?? null } }),
    };
    const context: Context = { answer, dataTime, price, history };
    return { seen: [{ key: 'market', samples: [sample], ...context }], memory: { dataTime, regime } };
  },

  tell(turn, seen) {
    const { current, probabilities, volatilityRegime, dataHealth, regimeMultiplier } = seen.answer;
    const { status, side: to, note } = turn;
    return {
      labels: { to },
      title: titleOf(turn, seen),
      summary: meaning(current.state),
      facts: [
        { name: msg('Turn'), value: join([title(note?.from ?? between), words(to)], ' → ') },
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
      ...chartOf(seen),
      dataTime: seen.dataTime,
    };
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
  readonly history: EndpointAnswer<'regimeHistory'>['data'] | undefined;
}

function titleOf({ status, side: to, since: at, note }: Turn, { answer, dataTime, price }: Context): Text {
  const { from = between, price: before = null } = note ?? {};
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
