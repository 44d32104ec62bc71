import { z } from 'zod';
import type { Chart, Tone } from '../alert/alert.ts';
import { bandsOf } from '../alert/bands.ts';
import type { Card } from '../card/card.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import {
  title as alone,
  count,
  marketName,
  number,
  percent,
  share,
  span,
  time,
  unknown,
  words,
} from '../language/format.ts';
import { join, lines, msg, type Text } from '../language/text.ts';
import { hour, minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { caution, part } from '../shell/failure.ts';
import { whole } from '../shell/input.ts';
import { coarser, points } from './kit/series.ts';

/** As many points as a picture shows. */
const maxPoints = 300;
/** Where the grades A and C begin, by the interface. */
const gradeA = 90;
const gradeC = 60;

export default defineCommand({
  name: 'quality',
  description: msg(
    'How fresh, complete and true the data is: score, grade, the age of every feed, and the audit',
  ),
  input: z.object({
    show: z
      .enum(['score', 'audit'])
      .default('score')
      .describe('The score, or the checks against the exchange'),
    hours: whole(1, 720).default(24).describe('How many hours back'),
  }),
  async run({ show, hours }, { data, now, signal }) {
    if (show === 'audit') return auditCard(await data.dataAudit({ hours, limit: 1 }, signal), hours);
    const [quality, history] = await Promise.all([
      data.dataQuality({}, signal),
      part(msg('The past'), data.dataQualityHistory({ hours }, signal)),
    ]);
    const rows = history.value?.data ?? [];
    const stale = Object.values(quality.checks).filter(({ fresh }) => !fresh).length;
    const dataTime = Date.parse(quality.timestamp);
    const length = span(hours * hour);
    return {
      title: msg('Data quality: {grade}, {score} of 100', {
        grade: quality.grade,
        score: number(quality.score, 0),
      }),
      summary: lines(
        stale === 0
          ? msg('Every feed is fresh.')
          : msg(
              '{stale, plural, one {# feed is} other {# feeds are}} stale: alerts based on {stale, plural, one {it} other {them}} may be late or missing.',
              {
                stale,
              },
            ),
        ...(quality.drifts ?? []).map(driftText),
      ),
      facts: [
        { name: msg('Status'), value: alone(quality.status) },
        ...(rows.length === 0
          ? []
          : [
              {
                name: msg('Lowest in {length}', { length }),
                value: number(Math.min(...rows.map(({ score }) => score)), 0),
              },
            ]),
        ...history.missing,
        ...caution(dataTime, { now, limit: 15 * minute }),
      ],
      table: {
        columns: [msg('Feed'), msg('State'), msg('Age'), msg('Last update')],
        rows: Object.entries(quality.checks).map(([feed, { fresh, ageMinutes, lastUpdate }]): Text[] => [
          alone(feed),
          fresh ? msg('fresh') : msg('stale'),
          ageMinutes === undefined ? msg('never') : span(ageMinutes * minute),
          lastUpdate === undefined ? msg('never') : time(Date.parse(lastUpdate)),
        ]),
      },
      ...(rows.length > 1 && { chart: chartOf(rows, length) }),
      actions: [{ label: msg('Checks against the exchange'), command: 'quality audit' }],
      dataTime,
    };
  },
});

type Row = EndpointAnswer<'dataQualityHistory'>['data'][number];

const chartOf = (rows: readonly Row[], length: Text): Chart => ({
  title: msg('Data quality, last {length}', { length }),
  unit: '',
  series: [
    {
      name: msg('Score'),
      points: coarser(
        points(rows, ({ score }) => score),
        { most: maxPoints, how: 'mean' },
      ),
    },
  ],
  marks: [
    { name: msg('Grade A'), value: gradeA, tone: 'good' },
    { name: msg('Grade C'), value: gradeC, tone: 'caution' },
  ],
  bands: bandsOf(
    rows.map(({ timestamp, status }) => ({ at: Date.parse(timestamp), state: status })),
    { toneOf: (status) => tones[status], stands },
  ),
});

const tones: Readonly<Record<string, Tone>> = { DEGRADED: 'caution', DOWN: 'bad' };
/** Checks come every 5 minutes. */
const stands = 15 * minute;

const driftText = ({
  value,
  venue,
  checks,
  beyond,
  worstPct,
  symbol,
}: NonNullable<EndpointAnswer<'dataQuality'>['drifts']>[number]): Text =>
  msg(
    '{value} differs from {venue}: {beyond, number} of the last {checks, number} checks beyond tolerance, the worst by {worst} ({market}).',
    { value: alone(value), venue, beyond, checks, worst: percent(worstPct), market: marketName(symbol) },
  );

type Audit = EndpointAnswer<'dataAudit'>;

/** How often the exchange said the same, and every way in which it did not. */
function auditCard({ source, values, worst, misses, data }: Audit, hours: number): Card {
  const length = span(hours * hour);
  const checks = values.reduce((sum, each) => sum + each.checks, 0);
  const within = values.reduce((sum, each) => sum + each.within, 0);
  const failures = [...worst.map(worstRow), ...misses.map(missRow)];
  const [newest] = data;
  return {
    title:
      checks === 0
        ? msg('Audit, last {length}: nothing checked yet', { length })
        : msg('Audit, last {length}: {share} of {checks} checks within tolerance', {
            length,
            share: share(within / checks, 1),
            checks: count(checks),
          }),
    summary: lines(
      source === 'live'
        ? msg('A sample of what is published here is checked against the exchange.')
        : msg('A sample of what is published here is checked against the simulated exchange.'),
      failures.length === 0 ? msg('No failures.') : undefined,
    ),
    facts: values.map(({ value, venue, missed, ...each }) => ({
      name: join([alone(value), venue], ' · '),
      value: msg('{share} of {checks} checks within tolerance, {missed} missed', {
        share: share(each.share, 1),
        checks: count(each.checks),
        missed: count(missed),
      }),
    })),
    ...(failures.length > 0 && {
      table: {
        columns: [msg('Value'), msg('Market'), msg('Asked at'), msg('Result'), msg('When')],
        rows: failures,
      },
    }),
    ...(newest !== undefined && { dataTime: Date.parse(newest.timestamp) }),
  };
}

const worstRow = ({ value, symbol, venue, verdict, timestamp, ...row }: Audit['worst'][number]): Text[] => [
  alone(value),
  marketName(symbol),
  venue,
  verdict === 'LATE'
    ? msg('late: the exchange has had a newer value')
    : msg('{difference}, allowed {allowed}', {
        difference: percent(row.differencePct),
        allowed: share((row.allowedPct ?? 0) / 100, 2),
      }),
  time(Date.parse(timestamp)),
];

const missRow = ({ value, venue, reason, count: times, timestamp }: Audit['misses'][number]): Text[] => [
  alone(value),
  unknown,
  venue,
  msg('{reason}, {times, plural, one {once} other {# times}}', { reason: words(reason), times }),
  time(Date.parse(timestamp)),
];
