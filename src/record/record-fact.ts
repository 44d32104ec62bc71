import type { Fact } from '../alert/alert.ts';
import { count, share, signed, span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Finding, Interval } from './findings.ts';
import type { KindScore } from './records.ts';
import type { Score, ScoredMoves } from './score.ts';

/** Returns the fact with which an alert's card describes the record of its kind, even if there is no record yet. */
export const recordFact = (record: KindScore): Fact => ({
  name: msg('Record'),
  value: recordText(record),
});

/** The years of the release's recordings. */
export const replayedYears = '2020–2022';

/** Until enough alerts of a kind were posted, the alerts that it would have sent in the recorded years speak for it. */
function recordText(record: KindScore): Text {
  const { n, days, found, finding, replayed } = record;
  if (found === undefined || finding === undefined)
    return replayed?.found === undefined
      ? notEnough({ n, days })
      : msg('Replayed over {years}: {said}', { years: replayedYears, said: recordText(replayed) });
  const values = {
    what: hitsText(record, found),
    shows: wholePoints(finding.detectable),
    edge: points(finding.interval),
  };
  const texts: Readonly<Record<Finding['verdict'], Text>> = {
    more: msg(
      'More often than usual: {what} (difference {edge} points). Past moves, not a forecast.',
      values,
    ),
    less: msg(
      'Less often than usual: {what} (difference {edge} points). Past moves, not a forecast.',
      values,
    ),
    nothing: msg(
      'Nothing in it: {what}; a difference of {shows} points would have shown. Past moves, not a forecast.',
      values,
    ),
    few: msg(
      'Too few to tell: {what}; only a difference of {shows} points would have shown. Past moves, not a forecast.',
      values,
    ),
  };
  return texts[finding.verdict];
}

function hitsText({ n, horizon, way }: KindScore, { hits }: ScoredMoves): Text {
  const values = { n: count(n), hits: share(hits.share), usual: share(hits.usual), after: span(horizon) };
  return way === undefined
    ? msg(
        'after {after} the price had moved more than usual in {hits} of {n}, and in {usual} after hours as volatile',
        values,
      )
    : msg('after {after} the price had gone {way} in {hits} of {n}, and in {usual} after hours as volatile', {
        ...values,
        way,
      });
}

export const notEnough = ({ n, days }: Pick<Score, 'n' | 'days'>): Text =>
  n === 0
    ? msg('no evidence yet')
    : msg(
        'no evidence yet ({n, plural, one {# alert} other {# alerts}} on {days, plural, one {# day} other {# days}})',
        { n, days },
      );

/**
 * Writes a difference of shares in percentage points: `−3 … +11`. An end that is not 0 is not rounded to 0, because
 * whether the interval excludes 0 is what it shows.
 */
export const points = ([low, high]: Interval): Text =>
  msg('{low} … {high}', { low: point(low * 100), high: point(high * 100) });

const point = (value: number): Text =>
  signed(value, [0, 1, 2].find((digits) => Number(value.toFixed(digits)) !== 0) ?? 0);

/** Rounds a difference up to a whole percentage point. */
export const wholePoints = (difference: number): Text => count(Math.ceil(difference * 100));
