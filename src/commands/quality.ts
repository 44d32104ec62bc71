import { z } from 'zod';
import type { Chart, Tone } from '../alert/alert.ts';
import { bandsOf } from '../alert/bands.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { labelTitle, marketName, number, percent, span, time } from '../language/format.ts';
import { lines, msg, type Text } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { hour, minute } from '../runtime/units.ts';
import { coveredLength } from '../runtime/window.ts';
import { defineCommand } from '../shell/command.ts';
import { awaitPart, staleDataFacts } from '../shell/failure.ts';
import { wholeNumber } from '../shell/input.ts';
import { dataChecksCard } from './kit/data-checks.ts';
import { lineOf, type Points, points } from './kit/series.ts';

/** The scores at which the grades A and C begin, as the data service defines them. */
const gradeA = 90;
const gradeC = 60;

export default defineCommand({
  name: 'quality',
  description: msg(
    'How fresh, complete and true the data is: score, grade, the age of every feed, and the data checks',
  ),
  input: z.object({
    show: z
      .enum(['score', 'checks'])
      .default('score')
      .describe('The score, or the checks against the exchange'),
    hours: wholeNumber(1, 720).default(24).describe('How many hours back'),
  }),
  async run({ show, hours }, { data, now, signal }) {
    if (show === 'checks') return dataChecksCard(await data.dataChecks({ hours, limit: 100 }, signal), hours);
    const [quality, history] = await Promise.all([
      data.dataQuality({}, signal),
      awaitPart(msg('The past'), data.dataQualityHistory({ hours }, signal)),
    ]);
    const rows = history.value?.data ?? [];
    const stale = Object.values(quality.checks).filter(({ fresh }) => !fresh).length;
    const completeSince = Date.parse(quality.checks.liquidation_events?.completeSince ?? '');
    const dataTime = Date.parse(quality.timestamp);
    const scores = points(rows, ({ score }) => score);
    const length = span(coveredLength(scores, hours * hour));
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
        completeSince > now - hours * hour
          ? msg('Liquidations are received without interruption since {time}.', { time: time(completeSince) })
          : undefined,
      ),
      facts: compact([
        { name: msg('Status'), value: labelTitle(quality.status) },
        rows.length > 1 && {
          name: msg('Lowest in {length}', { length }),
          value: number(Math.min(...scores.map(([, score]) => score)), 0),
        },
        ...history.missing,
        ...staleDataFacts(dataTime, { now, limit: 15 * minute }),
      ]),
      table: {
        columns: [msg('Feed'), msg('State'), msg('Age'), msg('Last update')],
        rows: Object.entries(quality.checks).map(([feed, { fresh, ageMinutes, lastUpdate }]): Text[] => [
          labelTitle(feed),
          fresh ? msg('fresh') : msg('stale'),
          ageMinutes === undefined ? msg('never') : span(ageMinutes * minute),
          lastUpdate === undefined ? msg('never') : time(Date.parse(lastUpdate)),
        ]),
      },
      chart: rows.length > 1 ? chartOf(rows, { scores, length }) : undefined,
      actions: [{ label: msg('Checks against the exchange'), command: 'quality checks' }],
      dataTime,
    };
  },
});

type Row = EndpointAnswer<'dataQualityHistory'>['data'][number];

const chartOf = (
  rows: readonly Row[],
  { scores, length }: { readonly scores: Points; readonly length: Text },
): Chart => ({
  title: msg('Data quality, last {length}', { length }),
  unit: '',
  series: [lineOf(msg('Score'), scores)],
  marks: [
    { name: msg('Grade A'), value: gradeA, tone: 'good' },
    { name: msg('Grade C'), value: gradeC, tone: 'caution' },
  ],
  bands: bandsOf(
    rows.map(({ timestamp, status }) => ({ at: Date.parse(timestamp), state: status })),
    (status) => tones[status],
    stateDuration,
  ),
});

const tones: Readonly<Record<string, Tone>> = { DEGRADED: 'caution', DOWN: 'bad' };
/** How long a state lasts after its last check, ms. Checks come every 5 minutes. */
const stateDuration = 15 * minute;

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
    { value: labelTitle(value), venue, beyond, checks, worst: percent(worstPct), market: marketName(symbol) },
  );
