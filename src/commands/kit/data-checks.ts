import type { Card } from '../../card/card.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import {
  count,
  labelTitle,
  marketName,
  percent,
  share,
  span,
  time,
  unknown,
  words,
} from '../../language/format.ts';
import { lines, listOf, msg, type Text } from '../../language/text.ts';
import { hour } from '../../runtime/units.ts';

type DataChecks = EndpointAnswer<'dataChecks'>;

/** Builds the card of the data checks: how often the exchange confirmed the published values, and every failure. */
export function dataChecksCard({ source, values, worst, misses, data }: DataChecks, hours: number): Card {
  const length = span(hours * hour);
  const judged = values.filter(({ within }) => within !== undefined);
  const checks = judged.reduce((sum, each) => sum + each.checks, 0);
  const within = judged.reduce((sum, each) => sum + (each.within ?? 0), 0);
  const failures = checkFailures({ worst, misses });
  const [newest] = data;
  return {
    title:
      checks === 0
        ? msg('Data check, last {length}: nothing checked yet', { length })
        : msg('Data check, last {length}: {share} of {checks} checks within tolerance', {
            length,
            share: share(within / checks, 1),
            checks: count(checks),
          }),
    summary: lines(
      source === 'live'
        ? msg('A sample of what is published here is checked against the exchange.')
        : msg('A sample of what is published here is checked against the simulated exchange.'),
      checks > 0 && failures.length === 0 ? msg('No failures.') : undefined,
    ),
    facts: checkRows(values).map(({ value, resultText: said, others }) => ({
      name: value,
      value: lines(said, ...others),
    })),
    table: {
      columns: [msg('Value'), msg('Market'), msg('Asked at'), msg('Result'), msg('When')],
      rows: failures,
    },
    dataTime: newest && Date.parse(newest.timestamp),
  };
}

/** The audit of one value, over all exchanges that were asked for it. */
interface ValueChecks {
  readonly value: Text;
  /** How often the exchange that the value comes from confirmed it. */
  readonly resultText: Text;
  /**
   * How far the values of other venues are from this one. Those are other markets, so a difference is neither right nor
   * wrong.
   */
  readonly others: readonly Text[];
  /** Number of checks that were beyond tolerance, late or missed. Absent if the exchange cannot be asked. */
  readonly failures?: number;
}

type Checked = DataChecks['values'][number];

const wasAsked = ({ checks, missed }: Checked): boolean => checks + missed > 0;

export const checkRows = (values: readonly Checked[]): readonly ValueChecks[] =>
  [...Map.groupBy(values, ({ value }) => value)].map(([value, of]) => {
    const [judged, compared] = [of.filter(isPrimary), of.filter((each) => !isPrimary(each))];
    const asked = judged.filter(wasAsked);
    const silent = compared.filter((each) => !wasAsked(each)).map(({ venue }) => venue);
    return {
      value: labelTitle(value),
      resultText: judged.length === 0 ? words('CANNOT_BE_ASKED') : lines(...judged.map(judgedText)),
      others: [
        ...compared.filter(wasAsked).map(shownText),
        ...(silent.length === 0 ? [] : [msg('{venues}: cannot be asked', { venues: listOf(silent) })]),
      ],
      ...(asked.length > 0 && {
        failures: asked.reduce((sum, { checks, within = 0, missed }) => sum + missed + checks - within, 0),
      }),
    };
  });

const isPrimary = ({ role }: Pick<Checked, 'role'>): boolean => role === 'PRIMARY';

function judgedText({ venue, checks, missed, ...each }: Checked): Text {
  if (checks + missed === 0) return msg('{venues}: cannot be asked', { venues: venue });
  return msg(
    '{venue}: {share} of {checks} checks within tolerance{missed, plural, =0 {} other {, # missed}}',
    {
      venue,
      share: share(each.share, 1),
      checks: count(checks),
      missed,
    },
  );
}

const shownText = ({ venue, checks, medianPct, missed }: Checked): Text =>
  checks === 0
    ? msg('{venue}: {missed, plural, one {# look missed} other {# looks missed}}', { venue, missed })
    : msg(
        '{venue}: its own market is {median} apart (median of {checks}){missed, plural, =0 {} other {, # missed}}',
        { venue, median: share((medianPct ?? 0) / 100, 2), checks: count(checks), missed },
      );

/**
 * Returns the failures of the primary exchange only. A failure to reach another venue says nothing about the published
 * data.
 */
export const judgedFailures = ({ values, worst, misses }: Pick<DataChecks, 'values' | 'worst' | 'misses'>) =>
  checkFailures({
    worst: worst.filter(isPrimary),
    misses: misses.filter(({ value, venue }) =>
      values.some((each) => each.value === value && each.venue === venue && isPrimary(each)),
    ),
  });

/** Writes each failure as a row: value, market, exchange asked, result and time. */
const checkFailures = ({ worst, misses }: Pick<DataChecks, 'worst' | 'misses'>): Text[][] => [
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
}: DataChecks['worst'][number]): Text[] => [
  labelTitle(value),
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

const missRow = ({ value, venue, reason, count: times, timestamp }: DataChecks['misses'][number]): Text[] => [
  labelTitle(value),
  unknown,
  venue,
  msg('{reason}, {times, plural, one {once} other {# times}}', { reason: words(reason), times }),
  time(Date.parse(timestamp)),
];
