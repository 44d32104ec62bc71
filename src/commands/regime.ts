import { z } from 'zod';
import type { Chart, Fact, Tone } from '../alert/alert.ts';
import { bandsOf } from '../alert/bands.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import {
  title as alone,
  count,
  number,
  percent,
  price,
  share,
  span,
  time,
  unknown,
  words,
} from '../language/format.ts';
import { lines, msg, type Text } from '../language/text.ts';
import { day, hour } from '../runtime/units.ts';
import { coveredLength, windowOf } from '../runtime/window.ts';
import { defineCommand } from '../shell/command.ts';
import { awaitOptionalPart, awaitPart, staleDataFacts } from '../shell/failure.ts';
import { wholeNumber } from '../shell/input.ts';
import { basisWord } from './kit/basis-word.ts';
import { candlesOf, shorterPastFacts } from './kit/candles.ts';
import { dollarName } from './kit/dollar-name.ts';
import { downsample, type Points, points } from './kit/series.ts';

export default defineCommand({
  name: 'regime',
  description: msg('The market regime: confidence, since when, and its history'),
  input: z.object({
    days: wholeNumber(1, 90).default(7).describe('How many days back the chart goes'),
  }),
  async run({ days }, context) {
    const { data, now, signal } = context;
    const [regime, history, bitcoin] = await Promise.all([
      data.regimeProbabilities({}, signal),
      awaitPart(msg('The past'), data.regimeHistory({ days }, signal)),
      awaitOptionalPart(msg('The price'), candlesOf('BTCUSDT', { ...context, hours: days * 24 })),
    ]);
    const { current, transition, volatilityRegime: volatility, basisSignal: basis, crossAsset } = regime;
    const rows = history.value?.data ?? [];
    const dataTime = Date.parse(regime.timestamp);
    return {
      title: msg('Regime: {state}', { state: words(current.state) }),
      summary: transitionText(transition, current.state),
      facts: [
        { name: msg('Confidence'), value: share(current.confidence) },
        { name: msg('Since'), value: sinceText(rows, { state: current.state, now }) },
        { name: msg('Phase'), value: alone(current.legacyRegime) },
        { name: msg('Score'), value: number(current.score) },
        {
          name: msg('Volatility'),
          value: msg('{regime}, percentile {percentile}', {
            regime: alone(volatility.regime),
            percentile: number(volatility.percentile, 0),
          }),
        },
        ...(basis === undefined
          ? []
          : [
              {
                name: msg('BTC basis'),
                value: msg('{pct}, {signal}', {
                  pct: percent(basis.basisPct, 4),
                  signal: basisWord(basis.basisPct),
                }),
              },
              { name: msg('Basis per year, 8 h mean'), value: percent(basis.annualizedPct, 1) },
            ]),
        ...(crossAsset.dxy === undefined
          ? []
          : [{ name: dollarName(crossAsset), value: price(crossAsset.dxy) }]),
        ...(crossAsset.sp500?.vix === undefined
          ? []
          : [{ name: msg('VIX'), value: number(crossAsset.sp500.vix) }]),
        ...(regime.dataHealth === 'OK'
          ? []
          : [{ name: msg('Data health'), value: alone(regime.dataHealth) }]),
        ...reliabilityOf(regime.model),
        ...history.missing,
        ...bitcoin.missing,
        ...shorterPastFacts(bitcoin.value?.closes ?? [], coveredLength(scoresOf(rows), days * day)),
        ...staleDataFacts(dataTime, { now, limit: 2 * hour }),
      ],
      table: {
        columns: [msg('State'), msg('Probability')],
        rows: Object.entries(regime.probabilities)
          .sort(([, a], [, b]) => b - a)
          .map(([state, probability]) => [alone(state), share(probability)]),
      },
      ...(rows.length > 1 && { chart: chartOf(rows, { closes: bitcoin.value?.closes ?? [], days }) }),
      dataTime,
    };
  },
});

/** How well the regime's past probabilities held, as Tocsin's own data service reports. Other services have other models. */
const calibratedModel = z.object({
  calibration: z.object({
    brier: z.number(),
    baseRatesBrier: z.number(),
    reliability: z.array(z.object({ said: z.number(), found: z.number(), hours: z.int() })),
  }),
});
/** Bins with fewer hours than this are left out: their share means little. */
const minHours = 200;

/** Writes a reliability diagram in text: each stated probability, how often the state followed, and a bar of that share. */
function reliabilityOf(model: unknown): Fact[] {
  const { data } = calibratedModel.safeParse(model);
  if (data === undefined) return [];
  const { brier, baseRatesBrier, reliability } = data.calibration;
  const bins = reliability.filter(({ hours }) => hours >= minHours);
  return [
    {
      name: msg('Probabilities, past'),
      value: lines(
        msg('Brier {brier}; always saying the base rates scores {base}', {
          brier: number(brier, 3),
          base: number(baseRatesBrier, 3),
        }),
        ...bins.map(({ said, found, hours }) =>
          msg('{bar} said {said}, was so in {found} of {hours} h', {
            bar: '▇'.repeat(Math.max(1, Math.round(found * 10))).padEnd(10, '·'),
            said: share(said),
            found: share(found),
            hours: count(hours),
          }),
        ),
      ),
    },
  ];
}

/** The most points of a line on a chart. */
const maxPoints = 300;

type Row = EndpointAnswer<'regimeHistory'>['data'][number];

/**
 * Returns when the present regime began, as far as the history shows it. The history may be shorter than was asked for, and its
 * newest row may be from before the last turn.
 */
function sinceText(
  rows: readonly Row[],
  { state, now }: { readonly state: string; readonly now: number },
): Text {
  const turn = rows.findIndex((row) => row.hmm_state !== state);
  const row = rows.at(turn <= 0 ? turn : turn - 1);
  const at = Date.parse(row?.timestamp ?? '');
  if (Number.isNaN(at)) return unknown;
  const values = { at: time(at), ago: span(now - at) };
  if (turn < 0) return msg('before {at}, more than {ago} ago', values);
  return turn === 0 ? msg('after {at}, less than {ago} ago', values) : msg('{at}, {ago} ago', values);
}

const scoresOf = (newestFirst: readonly Row[]): Points =>
  points(newestFirst.toReversed(), (row) => row.score);

/** Draws the regimes as bands behind the price with the score below or, without prices, behind the score alone. */
function chartOf(
  newestFirst: readonly Row[],
  { closes, days }: { readonly closes: Points; readonly days: number },
): Chart {
  const rows = newestFirst.toReversed();
  const scores = scoresOf(newestFirst);
  const covered = coveredLength(scores, days * day);
  const prices = windowOf(closes, covered);
  const score = {
    unit: '',
    series: [
      {
        name: msg('Score'),
        points: downsample(scores, { limit: maxPoints, how: 'mean' }),
      },
    ],
  };
  const bands = bandsOf(
    rows.map(({ timestamp, hmm_state }) => ({ at: Date.parse(timestamp), state: hmm_state })),
    { toneOf: (state) => tones[state] ?? 'neutral', validFor: stateDuration },
  );
  const length = span(covered);
  return prices.length > 1 && shorterPastFacts(prices, covered).length === 0
    ? {
        title: msg('BTC and the regime, last {length}', { length }),
        unit: 'USDT',
        series: [{ name: 'BTCUSDT', points: prices }],
        below: score,
        bands,
      }
    : { title: msg('Bitcoin’s regime and its score, last {length}', { length }), ...score, bands };
}

const tones: Readonly<Record<string, Tone>> = { RISK_ON: 'good', RISK_OFF: 'bad', TRANSITION: 'caution' };
/** How long a state lasts after its last row, ms. Rows come hourly. */
const stateDuration = 2 * hour;

/** The magnitude of a transition is left out: the probabilities, whose difference it is, are on the same card. */
function transitionText(
  transition: EndpointAnswer<'regimeProbabilities'>['transition'],
  state: EndpointAnswer<'regimeProbabilities'>['current']['state'],
): Text {
  if (transition === null) return msg('No change in progress.');
  const states = { from: words(transition.from), to: words(transition.to) };
  return transition.to === state
    ? msg('Just turned from {from} to {to}.', states)
    : msg('Turning from {from} to {to}.', states);
}
