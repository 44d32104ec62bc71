import { z } from 'zod';
import type { Annotations, Change, Severity } from '../alert/alert.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { count, span, title, words } from '../language/format.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { minute } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { charted, points, series } from './kit/series.ts';

const statuses = ['HEALTHY', 'DEGRADED', 'DOWN'] as const;
const status = z.enum(statuses);
const rank = (value: z.output<typeof status>): number => statuses.indexOf(value);
const severities = { HEALTHY: 'info', DEGRADED: 'warning', DOWN: 'critical' } as const satisfies Record<
  string,
  Severity
>;

/**
 * Trouble of the data itself: DEGRADED warns, DOWN is critical, HEALTHY again resolves. One alert for the service.
 * A status counts after `confirm` checks in a row on the same side of the last one. A status the interface does
 * not know changes nothing.
 */
export default defineDetector({
  name: 'data-quality',
  description: msg('Market data is stale or incomplete, or recovers'),
  preset: 'standard',
  claim: null,
  schedule: '40 */5 * * * *',
  cost: 'the service checks itself every 5 minutes',
  options: z.object({
    confirm: z.int().min(1).default(2).describe('checks in a row that must agree'),
  }),
  state: z.object({
    dataTime: z.number(),
    /** Confirmed. */
    status,
    /** Checks in a row that were better (−) or worse (+) than `status`. */
    streak: z.int(),
    /** The worst told while an alert is open; null: none is. */
    peak: z.enum(['warning', 'critical']).nullable(),
  }),
  async observe({ data, state, signal }): Promise<Observation> {
    const answer = await data.dataQuality({}, signal);
    return answer.status === state?.status ? answer : { ...answer, history: await historyOf(data, signal) };
  },

  step(state, answer, { options, now }) {
    const seen = status.safeParse(answer.status).data;
    const dataTime = Date.parse(answer.timestamp);
    if (state === undefined) {
      // Without a known status there is nothing to compare with: healthy is what most is told against.
      return { state: { dataTime, status: seen ?? 'HEALTHY', streak: 0, peak: null }, changes: [] };
    }
    if (seen === undefined || dataTime <= state.dataTime) return { state, changes: [] };

    const side = Math.sign(rank(seen) - rank(state.status));
    const streak = side === 0 ? 0 : side === Math.sign(state.streak) ? state.streak + side : side;
    if (Math.abs(streak) < options.confirm) return { state: { ...state, dataTime, streak }, changes: [] };

    const told = (change: Pick<Change, 'status' | 'severity'>): Change => ({
      ...change,
      labels: { kind: 'data-quality' },
      annotations: annotate(answer, seen, dataTime, now),
    });
    const next = { dataTime, status: seen, streak: 0 };
    if (seen === 'HEALTHY') {
      const changes = state.peak === null ? [] : [told({ status: 'resolved', severity: state.peak })];
      return { state: { ...next, peak: null }, changes };
    }
    // What was already bad at the baseline and gets better is no news.
    if (state.peak === null && side < 0) return { state: { ...next, peak: null }, changes: [] };
    const severity = severities[seen];
    return {
      state: { ...next, peak: state.peak === 'critical' ? 'critical' : severity },
      changes: [told({ status: state.peak === null ? 'firing' : 'updated', severity })],
    };
  },
});

interface Observation extends EndpointAnswer<'dataQuality'> {
  /** Asked for where the status is another than what people know. */
  readonly history?: EndpointAnswer<'dataQualityHistory'>['data'] | undefined;
}

/** The chart alone is made of it: what cannot be had, as where data is in trouble, is left out. */
async function historyOf(data: Pick<DataClient, 'dataQualityHistory'>, signal: AbortSignal) {
  return (await ifAnswered(data.dataQualityHistory({ hours: 24 }, signal)))?.data;
}

function annotate(
  { score, grade, checks, history = [] }: Observation,
  seen: z.output<typeof status>,
  dataTime: number,
  now: number,
): Annotations {
  const past = points(
    series(history, now).filter(({ at }) => at < dataTime),
    (row) => row.score,
  );
  const stale = Object.entries(checks).filter(([, { fresh }]) => !fresh);
  return {
    title:
      seen === 'HEALTHY'
        ? msg('Market data healthy again: score {score} ({grade})', { score: count(score), grade })
        : msg('Market data {status}: score {score} ({grade})', {
            status: words(seen),
            score: count(score),
            grade,
          }),
    summary:
      seen === 'HEALTHY'
        ? msg('All feeds are fresh again: alerts can be relied on.')
        : stale.length === 0
          ? msg('Alerts based on this data may be late or missing until it recovers.')
          : msg('Alerts based on {feeds} may be late or missing until this recovers.', {
              feeds: listOf(stale.map(([name]) => words(name))),
            }),
    facts: Object.entries(checks).map(([name, { fresh, ageMinutes }]) => ({
      name: title(name),
      value: freshness(fresh, ageMinutes),
    })),
    ...(past.length > 0 && {
      chart: charted(msg('Market data quality'), {
        unit: '',
        series: [{ name: msg('Score'), points: [...past, [dataTime, score]] }],
      }),
    }),
    dataTime,
  };
}

function freshness(fresh: boolean, ageMinutes: number | undefined): Text {
  if (ageMinutes === undefined) return msg('nothing yet');
  const age = span(ageMinutes * minute);
  return fresh ? msg('fresh, {age} old', { age }) : msg('stale, {age} old', { age });
}
