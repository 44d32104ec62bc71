import type { Fact } from '../../alert/alert.ts';
import type { Card } from '../../card/card.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import {
  title as alone,
  count,
  marketName,
  percent,
  share,
  span,
  time,
  unknown,
  words,
} from '../../language/format.ts';
import { join, lines, msg, type Text } from '../../language/text.ts';
import { hour } from '../../runtime/units.ts';

type DataAudit = EndpointAnswer<'dataAudit'>;

/** How often the exchange said the same, and every way in which it did not. */
export function auditCard({ source, values, worst, misses, data }: DataAudit, hours: number): Card {
  const length = span(hours * hour);
  const judged = values.filter(({ within }) => within !== undefined);
  const checks = judged.reduce((sum, each) => sum + each.checks, 0);
  const within = judged.reduce((sum, each) => sum + (each.within ?? 0), 0);
  const failures = auditFailures({ worst, misses });
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
    facts: values.map(auditFact),
    ...(failures.length > 0 && {
      table: {
        columns: [msg('Value'), msg('Market'), msg('Asked at'), msg('Result'), msg('When')],
        rows: failures,
      },
    }),
    ...(newest !== undefined && { dataTime: Date.parse(newest.timestamp) }),
  };
}

/** Of one value at one venue: its name, and how often it was the same. */
export const auditFact = ({ value, venue, missed, ...each }: DataAudit['values'][number]): Fact => ({
  name: join([alone(value), venue], ' · '),
  value: factOf({ missed, ...each }),
});

function factOf({
  checks,
  within,
  medianPct,
  missed,
  ...each
}: Omit<DataAudit['values'][number], 'value' | 'venue' | 'role'>): Text {
  if (checks + missed === 0) return words('CANNOT_BE_ASKED');
  const values = { checks: count(checks), missed: count(missed) };
  return within === undefined && checks > 0
    ? msg('another market’s: {median} apart in the median of {checks} looks, {missed} missed', {
        ...values,
        median: share((medianPct ?? 0) / 100, 2),
      })
    : msg('{share} of {checks} checks within tolerance, {missed} missed', {
        ...values,
        share: share(each.share, 1),
      });
}

/** Each as value, market, who was asked, what came of it, and when. */
export const auditFailures = ({ worst, misses }: Pick<DataAudit, 'worst' | 'misses'>): Text[][] => [
  ...worst.map(worstRow),
  ...misses.filter(({ reason }) => reason !== 'CANNOT_BE_ASKED').map(missRow),
];

const worstRow = ({
  value,
  symbol,
  venue,
  verdict,
  timestamp,
  ...row
}: DataAudit['worst'][number]): Text[] => [
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

const missRow = ({ value, venue, reason, count: times, timestamp }: DataAudit['misses'][number]): Text[] => [
  alone(value),
  unknown,
  venue,
  msg('{reason}, {times, plural, one {once} other {# times}}', { reason: words(reason), times }),
  time(Date.parse(timestamp)),
];
