import { expect, test } from 'vitest';
import type { Chart } from '#src/alert/alert.ts';
import { alertCard } from '#src/card/alert-card.ts';
import { plainReader, say } from '#src/language/say.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { change, firing, next, start } from '#test/support/alerts.ts';

const chart = (from: number, to: number): Chart => ({
  title: 'BTC, last 2 h',
  unit: '%',
  series: [
    {
      name: 'BTC',
      points: [
        [start + from, 1],
        [start + to, 2],
      ],
    },
  ],
});
const seen = (from: number, to: number) => ({ ...change().annotations, chart: chart(from, to) });
const moments = (alerts: Parameters<typeof alertCard>[0]) =>
  alertCard(alerts).chart?.moments?.map(({ name, at }) => [say(name, plainReader), at - start]);

const begun = firing({ annotations: seen(-2 * hour, 0) }, start + 20 * second);
const worse = next(
  begun,
  { status: 'updated', severity: 'critical', annotations: seen(-hour, hour) },
  start + hour,
);
const ended = next(worse, { status: 'resolved', annotations: seen(-minute, 2 * hour) }, start + 2 * hour);

test('a card’s chart marks the beginning at its last value if it was concluded from that value', () => {
  expect(moments([begun])).toEqual([['Began', 0]]);
});

test('the chart marks escalations and the end', () => {
  const marks = [
    ['Began', 20 * second],
    ['Got worse', hour],
    ['Ended', 2 * hour],
  ];
  expect(moments([worse])).toEqual(marks.slice(0, 2));
  expect(moments([ended])).toEqual(marks);
});

test('the chart does not mark what was before its first value', () => {
  const late = next(
    worse,
    { status: 'resolved', annotations: seen(90 * minute, 2 * hour) },
    start + 2 * hour,
  );
  expect(moments([late])).toEqual([['Ended', 2 * hour]]);
});

test('the latest chart of an alert stays, without marks long after its end', () => {
  const unseen = next(worse, { status: 'updated', annotations: change().annotations }, start + 2 * hour);
  const over = next(unseen, { status: 'resolved', annotations: change().annotations }, start + 9 * hour);
  expect(moments([over])).toEqual([
    ['Began', 20 * second],
    ['Got worse', hour],
  ]);
  expect(alertCard([unseen]).actions?.[0]?.command).toBe(`chart ${begun.id}`);
});

test('a group has the chart of its most prominent alert, and its button opens that', () => {
  const quiet = firing({ symbol: 'ETHUSDT' });
  const card = alertCard([quiet, begun]);
  expect(card.chart?.title).toBe('BTC, last 2 h');
  expect(card.actions?.[0]?.command).toBe(`chart ${begun.id}`);
  expect(alertCard([quiet]).actions?.[0]?.command).toBe('coin ETHUSDT');
});
