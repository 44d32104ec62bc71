import type { Fact } from '../alert/alert.ts';
import { count, share, signed, span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Interval } from './bootstrap.ts';
import type { Score } from './score.ts';

/** What an alert's card says of what came of its kind before. */
export const recordFact = (record: Told): Fact => ({
  name: msg('Record'),
  value: said(record),
});

interface Told extends Score {
  readonly horizon: number;
  /** Ends "the price had gone …". */
  readonly way?: Text;
}

function said({ n, days, found, horizon, way }: Told): Text {
  if (found === undefined) return notEnough({ n, days });
  const { hits } = found;
  const values = {
    n: count(n),
    hits: share(hits.share),
    usual: share(hits.usual),
    edge: points(hits.edge),
    after: span(horizon),
  };
  return way === undefined
    ? msg(
        'Within {after} the price had moved more than usual in {hits} of {n}, and does so anyway in {usual} (difference {edge} points). Past moves, not a forecast.',
        values,
      )
    : msg(
        'After {after} the price had gone {way} in {hits} of {n}, and goes there anyway in {usual} (difference {edge} points). Past moves, not a forecast.',
        { ...values, way },
      );
}

export const notEnough = ({ n, days }: Pick<Score, 'n' | 'days'>): Text =>
  n === 0
    ? msg('not enough data (n = 0)')
    : msg('not enough data (n = {n}, on {days, plural, one {# day} other {# days}})', { n: count(n), days });

/** A difference of shares in percentage points: `−3 … +11`. */
export const points = ([low, high]: Interval): Text =>
  msg('{low} … {high}', { low: signed(low * 100, 0), high: signed(high * 100, 0) });
