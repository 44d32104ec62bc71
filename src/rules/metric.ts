import * as format from '../language/format.ts';
import type { Text } from '../language/text.ts';
import type { FeedName } from './feed.ts';

/** A number or a label of a feed: all there is to say of it, once. */
export interface MetricEntry {
  /** Which question to the data service answers it. */
  readonly feed: FeedName;
  /** What it is called within a sentence: `24 h change`. */
  readonly words: Text;
  readonly description: Text;
  /** How its value is written. */
  readonly show: (value: number | string) => Text;
  /** Of its chart, as in a Panel. */
  readonly unit: '' | '%' | 'USD' | 'USDT';
  /** How far behind a level a number must fall before it is over, where nothing else is said. Absent: a label. */
  readonly slack?: (level: number) => number;
  /** Labels it may have. */
  readonly labels?: readonly string[];
}

/** What a condition may be about. */
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
/** Percent of a whole: it has no sign. */
export const portion = (digits: number): Written =>
  written((value) => format.share(value / 100, digits), { unit: '%' });
export const plain = (digits?: number): Written => written(format.number, { unit: '', digits });
export const inUsd = written(format.usd, { unit: 'USD' });
export const inUsdt = written(format.price, { unit: 'USDT' });
/** Of an index. */
export const level = written(format.price);
export const coins = written(format.amount);
/** Of a hundred. */
export const points = written(format.count);
export const label: Written = { show: (value) => format.words(String(value)), unit: '' };

/** A part of the level itself. */
export const part = (share: number) => (at: number) => Math.abs(at) * share;
export const fixed = (slack: number) => () => slack;
