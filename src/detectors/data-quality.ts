import { z } from 'zod';
import type { Annotations, Severity } from '../alert/alert.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { count, span, title, words } from '../language/format.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { minute, msOf } from '../runtime/units.ts';
import { agreed, agreedOf } from './kit/agreed.ts';
import { defineEpisodes } from './kit/episodes.ts';
import { lineOf, points, series } from './kit/series.ts';

const statuses = ['HEALTHY', 'DEGRADED', 'DOWN'] as const;
const status = z.enum(statuses);
type Status = z.output<typeof status>;
const rank = (value: Status): number => statuses.indexOf(value);
const severities = { HEALTHY: 'info', DEGRADED: 'warning', DOWN: 'critical' } as const satisfies Record<
  string,
  Severity
>;

/**
 * Trouble of the data itself: DEGRADED warns, DOWN is critical, HEALTHY again resolves. One alert for the service.
 * A status counts after `confirm` checks in a row on the same side of the last one. A status the interface does
 * not know changes nothing.
 */
export default defineEpisodes({
  name: 'data-quality',
  description: msg('Market data is stale or incomplete, or recovers'),
  preset: 'standard',
  claim: null,
  schedule: '40 */5 * * * *',
  cost: 'the service checks itself every 5 minutes',
  options: z.object({
    confirm: z.int().min(1).default(2).describe('checks in a row that must agree'),
  }),
  memory: z.object({ dataTime: z.number(), status: agreedOf(status) }),
  rules: () => ({ eases: () => true }),
  async observe({ data, state, signal }): Promise<Observation> {
    const answer = await data.dataQuality({}, signal);
    return answer.status === state?.memory?.status.value
      ? answer
      : { ...answer, history: await historyOf(data, signal) };
  },

  look(answer, { options: { confirm }, memory }) {
    const given = status.safeParse(answer.status).data;
    const at = msOf(answer.timestamp);
    if (memory !== undefined && (given === undefined || at <= memory.dataTime)) return { seen: [], memory };
    // Without a known status there is nothing to compare with: healthy is what most is told against.
    const better = (before: Status) => String(rank(given ?? before) < rank(before));
    const agree = agreed(memory?.status, given ?? 'HEALTHY', confirm, better);
    const value = agree.value;
    const sample = {
      at,
      side: value === 'HEALTHY' ? null : 'TROUBLE',
      strong: true,
      severity: severities[value],
    };
    return {
      seen: [{ key: 'service', samples: [sample], answer, now: value }],
      memory: { dataTime: at, status: agree },
    };
  },

  tell: (_, { answer, now: seen }, { now }) => ({
    labels: {},
    ...annotate(answer, seen, msOf(answer.timestamp), now),
  }),
});

interface Observation extends EndpointAnswer<'dataQuality'> {
  /** Asked for where the status is another than what people know. */
  readonly history?: EndpointAnswer<'dataQualityHistory'>['data'] | undefined;
}

/** The chart alone is made of it: what cannot be had, as where data is in trouble, is left out. */
const historyOf = async (data: Pick<DataClient, 'dataQualityHistory'>, signal: AbortSignal) =>
  (await ifAnswered(data.dataQualityHistory({ hours: 24 }, signal)))?.data;

function annotate(
  { score, grade, checks, history = [] }: Observation,
  seen: Status,
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
    ...lineOf(msg('Market data quality'), [...past, [dataTime, score]], { name: msg('Score') }),
    dataTime,
  };
}

function freshness(fresh: boolean, ageMinutes: number | undefined): Text {
  if (ageMinutes === undefined) return msg('nothing yet');
  const age = span(ageMinutes * minute);
  return fresh ? msg('fresh, {age} old', { age }) : msg('stale, {age} old', { age });
}
