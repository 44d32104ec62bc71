import { z } from 'zod';
import type { Change, Severity } from '../alert/alert.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { count, span, time, title, words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { duration, hour } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { charted } from './kit/series.ts';
import { sparsely, type Trail, trail, upTo } from './kit/trail.ts';

/** What nobody is told of: it ends an alert and begins none. */
const ordinary = 'NORMAL_VOL';
/** A week. */
const shown = { every: hour, most: 168 } as const;
const severityOf = (regime: string): Severity => (regime === 'HIGH_VOL' ? 'warning' : 'info');

/**
 * The volatility regime, as the service classifies it by the percentile of today's volatility among a year's days.
 * That class is raw: a new one counts once it has stood for `confirm` and the percentile has moved `margin` points
 * from where the old one was last seen, so that a percentile beside a class's edge changes nothing. An alert is a
 * class that is not the ordinary one, from its confirmation to that of another, brought up to date every `update`.
 * While the service says that its data is DOWN, the class is not known.
 */
export default defineDetector({
  name: 'volatility-regime',
  description: msg('Market volatility turns high or low against its last year'),
  preset: 'standard',
  schedule: '30 */5 * * * *',
  cost: 'the request is regime-transition’s',
  options: z.object({
    confirm: duration.prefault('12h').describe('market time for which the data must agree on a new class'),
    margin: z
      .number()
      .min(0)
      .max(25)
      .default(10)
      .describe('points of the percentile away from where the old class was last seen'),
    update: duration
      .prefault('24h')
      .describe('how often a class’s message is updated quietly (edits don’t notify)'),
  }),
  state: z.object({
    dataTime: z.number(),
    /** Confirmed, and where the percentile was when it was last seen. */
    regime: z.string(),
    percentile: z.number(),
    since: z.number(),
    pending: z.object({ regime: z.string(), since: z.number() }).nullable(),
    /** When people were last told of `regime`; null: never. */
    toldAt: z.number().nullable(),
    /** Percentiles. */
    past: trail.default([]),
  }),
  observe: ({ data, signal }) => data.regimeProbabilities({}, signal),

  step(state, answer, { options }) {
    const dataTime = Date.parse(answer.timestamp);
    const { regime: seen, percentile } = answer.volatilityRegime;
    const past = sparsely(state?.past, dataTime, percentile, shown);
    const begun = { dataTime, regime: seen, percentile, since: dataTime, pending: null, past };
    const trace = upTo(state?.past, dataTime, percentile, shown);
    if (state === undefined) return { state: { ...begun, toldAt: null }, changes: [] };
    if (dataTime <= state.dataTime || answer.dataHealth === 'DOWN') return { state, changes: [] };
    if (seen === state.regime) {
      const next = { ...state, dataTime, percentile, pending: null, past };
      if (state.toldAt === null || dataTime - state.toldAt < options.update)
        return { state: next, changes: [] };
      return {
        state: { ...next, toldAt: dataTime },
        changes: [change('updated', seen, state.since, answer, trace)],
      };
    }

    const since = state.pending?.regime === seen ? state.pending.since : dataTime;
    const near = Math.abs(percentile - state.percentile) < options.margin;
    if (near || dataTime - since < options.confirm)
      return { state: { ...state, dataTime, pending: { regime: seen, since }, past }, changes: [] };

    const told = seen !== ordinary;
    const changes: Change[] = [];
    if (state.toldAt !== null) changes.push(change('resolved', state.regime, state.since, answer, trace));
    if (told) changes.push(change('firing', seen, since, answer, trace));
    return { state: { ...begun, since, toldAt: told ? dataTime : null }, changes };
  },
});

function change(
  status: Change['status'],
  regime: string,
  since: number,
  { volatilityRegime, current, timestamp }: EndpointAnswer<'regimeProbabilities'>,
  trace: Trail,
): Change {
  const dataTime = Date.parse(timestamp);
  const now = volatilityRegime.regime;
  const annotations = {
    title:
      status === 'firing'
        ? msg('Market volatility: {regime}', { regime: words(regime) })
        : status === 'updated'
          ? msg('Market volatility: {regime} since {since}, {age}', {
              regime: words(regime),
              since: time(since),
              age: span(dataTime - since),
            })
          : msg('Market volatility no longer {regime}, now {now}', {
              regime: words(regime),
              now: words(now),
            }),
    summary: meaning(status === 'resolved' ? now : regime),
    facts: [
      { name: msg('Percentile of the last year'), value: count(volatilityRegime.percentile) },
      status === 'resolved'
        ? { name: msg('Lasted'), value: span(dataTime - since) }
        : { name: msg('Since'), value: time(since) },
      { name: msg('Regime'), value: title(current.state) },
    ],
    ...(trace.length > 1 && {
      chart: charted(msg('Volatility of bitcoin against its last year'), {
        unit: '',
        series: [{ name: msg('Percentile of the last year'), points: trace }],
      }),
    }),
    dataTime,
  };
  const severity = severityOf(regime);
  return { status, labels: { kind: 'volatility-regime', regime }, severity, annotations };
}

const meanings: Readonly<Record<string, Text>> = {
  HIGH_VOL: msg(
    'Moves are larger than on most days of the last year, either way: the same position risks more.',
  ),
  LOW_VOL: msg('Moves are smaller than on most days of the last year; how long that lasts nobody knows.'),
  NORMAL_VOL: msg('Moves are about as large as on most days of the last year.'),
};
const meaning = (regime: string): Text =>
  meanings[regime] ?? msg('A volatility regime this version has no description of.');
