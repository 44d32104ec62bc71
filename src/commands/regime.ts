import { z } from 'zod';
import type { Chart, Fact } from '../alert/alert.ts';
import { bandsOf } from '../alert/bands.ts';
import { likelierState, regimeTones } from '../alert/regime.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { UserError } from '../language/errors.ts';
import {
  count,
  labelTitle,
  marketName,
  number,
  percent,
  price,
  share,
  span,
  time,
  unknown,
  words,
} from '../language/format.ts';
import { lines, msg, type Text, typed } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { day, hour } from '../runtime/units.ts';
import { coveredLength, windowOf } from '../runtime/window.ts';
import { defineCommand } from '../shell/command.ts';
import { awaitOptionalPart, awaitPart, staleDataFacts } from '../shell/failure.ts';
import { symbol as symbolInput, wholeNumber } from '../shell/input.ts';
import { basisWord } from './kit/basis-word.ts';
import { candlesOf, shorterPastFacts } from './kit/candles.ts';
import { dollarName } from './kit/dollar-name.ts';
import { lineOf, type Points, points } from './kit/series.ts';

/** The market whose regime is that of the whole market. */
const marketSymbol = 'BTCUSDT';

const meansLikelier = msg(
  'Score and probabilities follow what is likely; the label follows once that is likely enough.',
);

export default defineCommand({
  name: 'regime',
  otherNames: ['trend', 'volatility'],
  description: msg('The regime of the market, or of one market: confidence, since when, and its history'),
  input: z.object({
    symbol: symbolInput.describe('Market, e.g. ETHUSDT; without it the whole market').optional(),
    days: wholeNumber(1, 90).default(7).describe('How many days back the chart goes'),
    details: z.enum(['yes', 'no']).default('no').describe('yes to see how its probabilities fared'),
  }),
  async run({ symbol: named, days, details }, context) {
    const { data, now, signal } = context;
    // Bitcoin's regime is that of the whole market, which every service has.
    const symbol = named === marketSymbol ? undefined : named;
    const asked = symbol === undefined ? {} : { symbol };
    const [regime, history, prices] = await Promise.all([
      data.regimeProbabilities(asked, signal),
      awaitPart(msg('The past'), data.regimeHistory({ days, ...asked }, signal)),
      awaitOptionalPart(
        msg('The price'),
        candlesOf(symbol ?? marketSymbol, { ...context, hours: days * 24 }),
      ),
    ]);
    if (regime.symbol !== symbol)
      throw new UserError(msg('The data service knows the regime of the whole market alone.'));
    const { current, volatilityRegime: volatility, basisSignal: basis, crossAsset } = regime;
    const { vix } = crossAsset.sp500 ?? {};
    const rows = history.value?.data ?? [];
    const dataTime = Date.parse(regime.timestamp);
    const likelier = likelierState({ ...regime, state: current.state }, beginOf(rows, current.state));
    const values = { symbol: marketName(symbol ?? marketSymbol), state: words(current.state) };
    const label =
      symbol === undefined ? msg('Regime: {state}', values) : msg('Regime of {symbol}: {state}', values);
    const ownLikelier =
      symbol === undefined || likelier === undefined
        ? likelier
        : msg('{symbol}: {text}', { ...values, text: likelier });
    return {
      title: ownLikelier ?? label,
      summary: likelier === undefined ? msg('The label is also the likeliest state.') : meansLikelier,
      facts: compact<Fact>([
        { name: msg('Confidence'), value: share(current.confidence) },
        { name: msg('Since'), value: sinceText(rows, { state: current.state, now }) },
        { name: msg('Phase'), value: labelTitle(current.legacyRegime) },
        { name: msg('Score'), value: number(current.score) },
        {
          name: msg('Volatility'),
          value: msg('{regime}, percentile {percentile}', {
            regime: labelTitle(volatility.regime),
            percentile: number(volatility.percentile, 0),
          }),
        },
        basis && {
          name: msg('Basis of {symbol}', values),
          value: msg('{pct}, {signal}', {
            pct: percent(basis.basisPct, 4),
            signal: basisWord(basis.basisPct),
          }),
        },
        basis && { name: msg('Basis per year, 8 h mean'), value: percent(basis.annualizedPct, 1) },
        crossAsset.dxy !== undefined && { name: dollarName(crossAsset), value: price(crossAsset.dxy) },
        vix !== undefined && { name: msg('VIX'), value: number(vix) },
        regime.dataHealth !== 'OK' && { name: msg('Data health'), value: labelTitle(regime.dataHealth) },
        ...reliabilityOf(regime, details === 'yes'),
        ...history.missing,
        ...prices.missing,
        ...shorterPastFacts(prices.value?.closes ?? [], {
          symbol: symbol ?? marketSymbol,
          length: coveredLength(scoresOf(rows), days * day),
        }),
        ...staleDataFacts(dataTime, { now, limit: 2 * hour }),
      ]),
      table: {
        columns: [msg('State'), msg('Probability')],
        rows: Object.entries(regime.probabilities)
          .sort(([, a], [, b]) => b - a)
          .map(([state, probability]) => [labelTitle(state), share(probability)]),
      },
      ...(rows.length > 1 && {
        chart: chartOf(rows, { closes: prices.value?.closes ?? [], days, symbol: symbol ?? marketSymbol }),
      }),
      dataTime,
    };
  },
});

/** How the published probabilities fared, as Tocsin's own data service reports. Other services have other models. */
const ownModel = z.object({
  published: z.object({
    hours: z.int(),
    brier: z.number(),
    baseRatesBrier: z.number(),
    reliability: z.array(
      z.object({ state: z.string(), said: z.number(), found: z.number(), hours: z.int() }),
    ),
  }),
});
/** Bins with fewer hours than this are left out: their share means little. */
const minHours = 200;

/** Says how often the present state followed where it was as probable as now; with `details`, all that is published. */
function reliabilityOf(
  { model, probabilities, current: { state } }: EndpointAnswer<'regimeProbabilities'>,
  details: boolean,
): Fact[] {
  const { data } = ownModel.safeParse(model);
  if (data === undefined) return [];
  const probability = probabilities[state] ?? 0;
  const { hours: judged, brier, baseRatesBrier, reliability } = data.published;
  const bins = reliability.filter(({ hours }) => hours >= minHours);
  const [nearest] = bins
    .filter((bin) => bin.state === state)
    .sort((a, b) => Math.abs(a.said - probability) - Math.abs(b.said - probability));
  const calibration = nearest && {
    name: msg('Calibration'),
    value: msg('when it says {said}, it is right {found} of the time (details: {details})', {
      said: share(nearest.said),
      found: share(nearest.found),
      details: typed('regime details=yes', 'regime details:yes'),
    }),
  };
  if (!details) return compact([calibration]);
  return [
    {
      name: msg('Probabilities, past'),
      value: lines(
        msg('{hours} published hours judged: Brier {brier}; always saying the base rates scores {base}', {
          hours: count(judged),
          brier: number(brier, 3),
          base: number(baseRatesBrier, 3),
        }),
        ...bins.map(({ state, said, found, hours }) =>
          msg('{bar} {state}: said {said}, was so in {found} of {hours} h', {
            bar: '▇'.repeat(Math.max(1, Math.round(found * 10))).padEnd(10, '·'),
            state: words(state),
            said: share(said),
            found: share(found),
            hours: count(hours),
          }),
        ),
      ),
    },
  ];
}

type Row = EndpointAnswer<'regimeHistory'>['data'][number];

/** Returns the time of publication of the first row of the present state; undefined if the history does not show its beginning. */
function beginOf(rows: readonly Row[], state: string): number | undefined {
  const turn = rows.findIndex((row) => row.hmm_state !== state);
  return turn <= 0 ? undefined : Date.parse(rows[turn - 1]?.timestamp ?? '');
}

/**
 * Says when the present regime began, as far as the history shows it. The history may be shorter than was asked for, and its
 * newest row may be from before the last turn.
 */
function sinceText(
  rows: readonly Row[],
  { state, now }: { readonly state: string; readonly now: number },
): Text {
  const begin = beginOf(rows, state);
  const isOld = rows[0] !== undefined && rows[0].hmm_state !== state;
  const at = begin ?? Date.parse((isOld ? rows[0] : rows.at(-1))?.timestamp ?? '');
  if (Number.isNaN(at)) return unknown;
  const values = { at: time(at), ago: span(now - at) };
  if (begin !== undefined) return msg('{at}, {ago} ago', values);
  return isOld
    ? msg('after {at}, less than {ago} ago', values)
    : msg('before {at}, more than {ago} ago', values);
}

const scoresOf = (newestFirst: readonly Row[]): Points =>
  points(newestFirst.toReversed(), ({ score }) => score);

/** Draws the regimes as bands behind the price with the score below or, without prices, behind the score alone. */
function chartOf(
  newestFirst: readonly Row[],
  { closes, days, symbol }: { readonly closes: Points; readonly days: number; readonly symbol: string },
): Chart {
  const rows = newestFirst.toReversed();
  const scores = scoresOf(newestFirst);
  const covered = coveredLength(scores, days * day);
  const prices = windowOf(closes, covered);
  const score = { unit: '', series: [lineOf(msg('Score'), scores)] };
  const bands = bandsOf(
    rows.map(({ timestamp, hmm_state }) => ({ at: Date.parse(timestamp), state: hmm_state })),
    (state) => regimeTones[state] ?? 'neutral',
    stateDuration,
  );
  const values = { symbol: marketName(symbol), length: span(covered) };
  return prices.length > 1 && shorterPastFacts(prices, { symbol, length: covered }).length === 0
    ? {
        title: msg('{symbol} and its regime, last {length}', values),
        unit: 'USDT',
        series: [{ name: symbol, points: prices }],
        below: score,
        bands,
      }
    : { title: msg('Regime of {symbol} and its score, last {length}', values), ...score, bands };
}

/** How long a state lasts after its last row, ms. Rows come hourly. */
const stateDuration = 2 * hour;
