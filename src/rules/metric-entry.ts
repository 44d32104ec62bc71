import type { Slack, ValueRange } from '../alert/slack.ts';
import * as format from '../language/format.ts';
import type { Text } from '../language/text.ts';
import type { FeedName } from './feed-names.ts';

/** Describes a metric: a number or a label that a feed supplies. */
export interface MetricEntry {
  readonly feed: FeedName;
  /** The name of the metric within a sentence: `24 h change`. */
  readonly words: Text;
  readonly description: Text;
  /** Returns a value as people read it. */
  readonly show: (value: number | string) => Text;
  /** The unit of the metric's chart, as in a `Panel`. */
  readonly unit: '' | '%' | 'USD' | 'USDT';
  /** How its chart is drawn, if its values hold until the next. */
  readonly shape?: 'steps';
  /**
   * How far behind a level a number must fall before an alert ends, if the rule has no clear condition. Absent: the
   * metric is a label.
   */
  readonly slack?: Slack;
  /** The values that a number can have. Absent: any. */
  readonly range?: ValueRange | undefined;
  /** The labels that the metric can have. Absent: it is a number. */
  readonly labels?: readonly string[];
}

/** A metric that a condition can name. `about`: whether it is one of a symbol or of the whole market. */
export interface Metric extends MetricEntry {
  readonly about: 'symbol' | 'market';
}

type Written = Pick<MetricEntry, 'show' | 'unit'>;

const written = (
  show: (value: number, digits?: number) => Text,
  {
    unit = '',
    digits,
  }: { readonly unit?: MetricEntry['unit'] | undefined; readonly digits?: number | undefined } = {},
): Written => ({ show: (value) => (typeof value === 'number' ? show(value, digits) : value), unit });

export const inPercent = (digits?: number): Written => written(format.percent, { unit: '%', digits });
/** Percent of a whole, written without a plus sign. */
export const portion = (digits: number): Written =>
  written((value) => format.share(value / 100, digits), { unit: '%' });
export const plain = (digits?: number): Written => written(format.number, { unit: '', digits });
export const inUsd = written(format.usd, { unit: 'USD' });
export const inUsdt = written(format.price, { unit: 'USDT' });
/** The level of an index. */
export const level = written(format.price);
export const coins = written(format.amount);
/** Points of a hundred. */
export const points = { ...written(format.count), range: { min: 0, max: 100 } };
export const label: Written = { show: (value) => format.words(String(value)), unit: '' };
