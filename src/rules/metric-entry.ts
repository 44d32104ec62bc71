import { fixedSlack, relativeSlack, type Slack, type ValueRange } from '../alert/slack.ts';
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

/** How a metric is written, and what its numbers can be. */
type Values = Pick<MetricEntry, 'show' | 'unit' | 'slack' | 'range'>;
interface Numbers extends Pick<MetricEntry, 'range'> {
  readonly slack: Slack;
  /** Left out: as many as the format has. */
  readonly digits?: number;
}

const numbers =
  (show: (value: number, digits?: number) => Text, unit: MetricEntry['unit'] = '') =>
  ({ digits, ...rest }: Numbers): Values => ({
    show: (value) => (typeof value === 'number' ? show(value, digits) : value),
    unit,
    ...rest,
  });

export const atLeastZero = { min: 0 };
export const percentage = { min: 0, max: 100 };
/** Changes of what cannot fall below nothing, percent. */
export const downToNothing = { min: -100 };

export const plain = numbers(format.number);
export const inPercent = numbers(format.percent, '%');
/** Percent of a whole, written without a plus sign. */
export const portion = numbers((value, digits) => format.share(value / 100, digits), '%');
/** The level of an index. */
export const level = numbers(format.price);
export const coins = numbers(format.amount);
export const probability = plain({ slack: fixedSlack(0.1), range: { min: 0, max: 1 } });
/** A price, or what is compared with it. */
export const inUsdt = numbers(format.price, 'USDT')({ slack: relativeSlack(0.005) });
/** @param share of a level, the slack */
export const inUsd = (share: number): Values =>
  numbers(format.usd, 'USD')({ slack: relativeSlack(share), range: atLeastZero });
/** Points of a hundred. @param slack in points */
export const points = (slack: number): Values =>
  numbers(format.count)({ slack: fixedSlack(slack), range: percentage });
export const label: Values = { show: (value) => format.words(String(value)), unit: '' };
