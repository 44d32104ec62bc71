import { z } from 'zod';
import type { Severity } from '../alert/alert.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { count, labelTitle, percent, span, words } from '../language/format.ts';
import { listOf, msg, type Text, type Values } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { day, minute } from '../runtime/units.ts';
import { agreedSchema, nextAgreed } from './kit/agreed.ts';
import { defineEpisodes, type FactPair, setting } from './kit/define-episodes.ts';
import { knownTime } from './kit/known.ts';
import { points, series } from './kit/series.ts';

type Quality = EndpointAnswer<'dataQuality'>;

const status = z.enum(['HEALTHY', 'DEGRADED', 'DOWN']);
type Status = z.output<typeof status>;
const rank = (value: Status): number => status.options.indexOf(value);
const severities: Record<Status, Severity> = { HEALTHY: 'info', DEGRADED: 'warning', DOWN: 'critical' };

/** How long a service may say that it still loads, market ms: one that always says so would never be judged. */
const longestLoad = day;

/**
 * Alerts when the market data itself has a problem: DEGRADED is a warning, DOWN is critical, and HEALTHY ends the
 * alert. There is one alert for the whole service. A new status counts after `confirm` checks in a row that are all
 * better, or all not better, than the status before. A status that the interface does not know changes nothing. A feed that
 * is late again and again is one trouble: after an end only DOWN is reported at once.
 */
export default defineEpisodes({
  name: 'data-quality',
  description: msg('Market data is stale or incomplete, or recovers'),
  preset: 'standard',
  smallest: ({ confirm }) =>
    msg('stale or wrong data at {confirm, plural, one {# check} other {# checks in a row}}', { confirm }),
  prediction: null,
  schedule: '35 */5 * * * *',
  cost: 'the service checks itself every 5 minutes',
  options: {
    confirm: setting.integer(2, 'checks in a row that must agree'),
    cooldown: setting.duration('6h', 'after its end, unless the data is DOWN'),
  },
  memory: z.object({
    dataTime: z.number(),
    /** Absent until the first load is over. */
    status: agreedSchema(status).optional(),
    /** When it was first seen to load. */
    since: z.number().optional(),
  }),
  rules: ({ cooldown }) => ({ cooldown, breaks: severities.DOWN, eases: () => true }),
  async observe({ data, state, now, signal }) {
    const [answer, meta] = await Promise.all([
      data.dataQuality({}, signal),
      state?.memory?.status === undefined ? ifAnswered(data.meta({}, signal)) : undefined,
    ]);
    // What the first load has not reached yet is late, and nobody's trouble. The status says how far it is.
    const since = state?.memory?.since ?? now;
    if ((meta?.backfill ?? 1) < 1 && now - since < longestLoad) return undefined;
    const isConfirmed = answer.status === state?.memory?.status?.value;
    // The history is only for the chart. It is asked for when the status is not the confirmed one; if it cannot be had,
    // it is left out.
    const past = isConfirmed ? undefined : await ifAnswered(data.dataQualityHistory({ hours: 24 }, signal));
    return { ...answer, history: past?.data };
  },

  look(answer, { options: { confirm }, memory, now: lookedAt }) {
    if (answer === undefined) return { seen: [], memory: { dataTime: 0, since: memory?.since ?? lookedAt } };
    const known = status.safeParse(answer.status).data;
    const at = knownTime(Date.parse(answer.timestamp), lookedAt);
    if (memory?.status !== undefined && (known === undefined || at <= memory.dataTime))
      return { seen: [], memory };
    const agreed = nextAgreed(memory?.status, {
      // The first status may be one that this version does not know. It then counts as healthy.
      seen: known ?? 'HEALTHY',
      confirm,
      keyOf: (before) => String(rank(known ?? before) < rank(before)),
    });
    const { value: now } = agreed;
    const side = now === 'HEALTHY' ? null : 'TROUBLE';
    const samples = [{ at, side, strong: true, severity: severities[now] }];
    return { seen: [{ key: 'service', samples, answer, now }], memory: { dataTime: at, status: agreed } };
  },

  labelsOf: () => ({}),

  tell({ ended, seen: at }, { seen: { answer, now: status }, now }) {
    const { score, grade, checks, drifts = [], history = [] } = answer;
    const feeds = Object.entries(checks);
    const stale = feeds.filter(([, { fresh }]) => !fresh).map(([name]) => words(name));
    const wrong = drifts.map(({ value }) => words(value));
    const past = series(history, { now }).filter((row) => row.at < at);
    const counted = msg('{score} ({grade})', { score: count(score), grade });
    const values = { status: words(status), counted, feeds: listOf(stale), wrong: listOf(wrong) };
    const [trouble, doubt] = troubleOf(values, stale.length > 0, wrong.length);
    return {
      title: ended ? msg('Market data healthy again') : trouble,
      summary: ended ? msg('All feeds are fresh again: alerts can be relied on.') : doubt,
      facts: [
        [msg('Score'), counted],
        ...feeds.map(([name, feed]): FactPair => [labelTitle(name), freshness(feed)]),
        ...drifts.map((drift): FactPair => [labelTitle(drift.value), difference(drift)]),
      ],
      picture: {
        subject: msg('Market data quality'),
        line: [msg('Score'), [...points(past, (row) => row.score), [at, score]]],
      },
    };
  },
});

function freshness({ fresh, ageMinutes }: Quality['checks'][string]): Text {
  if (ageMinutes === undefined) return msg('nothing yet');
  const age = span(ageMinutes * minute);
  return fresh ? msg('fresh, {age} old', { age }) : msg('stale, {age} old', { age });
}

/**
 * Returns the title and the summary of trouble. What is wrong is named, and not the score: with one stale feed of four it
 * is nearly 100.
 */
function troubleOf(values: Values, isStale: boolean, wrongCount: number): [Text, Text] {
  if (isStale)
    return [
      msg('Data warning: {feeds} out of date', values),
      msg('Alerts based on {feeds} may be late or missing until this recovers.', values),
    ];
  if (wrongCount > 0)
    return [
      msg('Data warning: {wrong} {n, plural, one {differs} other {differ}} from the exchange', {
        ...values,
        n: wrongCount,
      }),
      msg('Alerts based on {wrong} may be wrong until this recovers.', values),
    ];
  return [
    msg('Data warning: score {counted}', values),
    msg('Alerts based on this data may be late or missing until it recovers.'),
  ];
}

const difference = ({ checks, beyond, worstPct }: NonNullable<Quality['drifts']>[number]): Text =>
  msg('{beyond} of {checks} checks against the exchange failed, the worst by {worst}', {
    beyond: count(beyond),
    checks: count(checks),
    worst: percent(worstPct),
  });
