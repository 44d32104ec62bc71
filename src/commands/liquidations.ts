import { z } from 'zod';
import type { Chart, Fact } from '../alert/alert.ts';
import { allLiquidations, type LiquidationRow } from '../client/all-liquidations.ts';
import { count, labelTitle, marketName, price, span, time, usd } from '../language/format.ts';
import { lines, msg, msgIn, type Text } from '../language/text.ts';
import { iso, minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { awaitPart } from '../shell/failure.ts';
import { symbol, timeSpan } from '../shell/input.ts';
import { barsBetween } from './kit/series.ts';

/** The most rows that the service returns: the newest ones. */
const limit = 500;
const maxShown = 6;
/** Sizes for which the card has a line with all liquidations of at least that size, USD. */
const sizes = [100_000, 1_000_000];

export default defineCommand({
  name: 'liquidations',
  otherNames: ['liqs', 'liq'],
  questionWords: ['dump', 'pump', 'fall', 'fell', 'drop', 'liquidate', 'rekt', 'wiped'],
  description: msg('Liquidations of one market or all: how much on each side, and the largest'),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT (default: all)').optional(),
    window: timeSpan({ min: '5m', max: '24h' }).describe('How far back').prefault('1h'),
  }),
  async run({ symbol, window }, { data, now, status, signal }) {
    const since = Math.floor((now - window) / minute) * minute;
    const query = { since: iso(since), limit, symbol };
    const [{ data: events, coverage }, quality, { liquidations: reported }] = await Promise.all([
      allLiquidations(data, query, signal),
      awaitPart(msg('Whether the feed is alive'), data.dataQuality({}, signal)),
      status(),
    ]);
    const isTruncated = events.length >= limit;
    const newest = events[0];
    const oldest = Date.parse(events.at(-1)?.event_time ?? '');
    const { fresh: isFeedFresh, completeSince } = quality.value?.checks.liquidation_events ?? {};
    const knownFrom = isTruncated ? oldest : since;
    const interruptionEnd = completeSince === undefined ? 0 : Date.parse(completeSince);

    return {
      title: msg('Liquidations of {markets}, {window}', {
        markets: symbol === undefined ? msg('all markets') : marketName(symbol),
        window: span(window),
      }),
      summary: lines(
        events.length === 0
          ? msg('None seen.')
          : isTruncated
            ? msg('A lower bound: only the newest {limit} are available, back to {oldest}.', {
                limit: count(limit),
                oldest: time(oldest),
              })
            : coverage.length > 1
              ? undefined
              : (bounds[reported ?? ''] ?? lowerBound),
        ...(coverage.length > 1
          ? coverage.map(({ title, publishes }) =>
              msg('{exchange}: {bound}', { exchange: title, bound: bounds[publishes] ?? lowerBound }),
            )
          : []),
        isFeedFresh === false ? msg('The feed is stale: there may have been more.') : undefined,
        interruptionEnd > knownFrom
          ? msg('Received without interruption since {time}: before that there may have been more.', {
              time: time(interruptionEnd),
            })
          : undefined,
      ),
      facts: [
        { name: msg('Longs liquidated'), value: usd(totalOf(events.filter(({ side }) => side === 'LONG'))) },
        {
          name: msg('Shorts liquidated'),
          value: usd(totalOf(events.filter(({ side }) => side === 'SHORT'))),
        },
        {
          name: msg('Events'),
          value: isTruncated
            ? msg('at least {count}', { count: count(events.length) })
            : count(events.length),
        },
        ...sizes.flatMap((size) => sizeFacts(events, size)),
        ...quality.missing,
      ],
      table: {
        columns: [msg('Market'), msg('Side'), msgIn('money', 'Value'), msg('Price'), msg('Time')],
        rows: events
          .toSorted((a, b) => b.usd_value - a.usd_value)
          .slice(0, maxShown)
          .map((event) => [
            event.symbol,
            labelTitle(event.side),
            usd(event.usd_value),
            price(Number(event.price)),
            time(Date.parse(event.event_time)),
          ]),
      },
      chart: events.length > 0 ? chartOf(events, { symbol, from: knownFrom, to: now }) : undefined,
      dataTime: newest === undefined ? now : Date.parse(newest.event_time),
    };
  },
});

/** What the sum means, by which part of its liquidations the exchange reports. */
const bounds: Readonly<Record<string, Text>> = {
  ALL: msg('All that the exchange reports.'),
  ONE_A_SECOND: msg('A lower bound: the exchange reports at most one liquidation per second per market.'),
};
const lowerBound = msg('A lower bound: the exchange may report only some of them.');

const totalOf = (events: readonly LiquidationRow[]): number =>
  events.reduce((total, { usd_value }) => total + usd_value, 0);

function sizeFacts(events: readonly LiquidationRow[], size: number): Fact[] {
  const large = events.filter(({ usd_value }) => usd_value >= size);
  return large.length === 0
    ? []
    : [
        {
          name: msg('Of {size} and more', { size: usd(size) }),
          value: msg('{count}, {value}', { count: count(large.length), value: usd(totalOf(large)) }),
        },
      ];
}

/** Draws liquidated longs downward, as the price fell when they were liquidated. Nothing is known from before `from`. */
function chartOf(
  events: readonly LiquidationRow[],
  { symbol, from, to }: { symbol: string | undefined; from: number; to: number },
): Chart {
  const { width, sum } = barsBetween({ from, to, unit: minute });
  const totals = (of: string, sign: 1 | -1) =>
    sum(
      events
        .filter(({ side }) => side === of)
        .map(({ event_time, usd_value }) => [Date.parse(event_time), sign * usd_value] as const),
    );
  return {
    title: msg('Liquidations per {width}, {markets}, last {length}', {
      width: span(width),
      markets: symbol === undefined ? msg('all markets') : marketName(symbol),
      length: span(to - from),
    }),
    unit: 'USD',
    series: [
      { name: msg('Shorts'), shape: 'bars', tone: 'good', points: totals('SHORT', 1) },
      { name: msg('Longs'), shape: 'bars', tone: 'bad', points: totals('LONG', -1) },
    ],
  };
}
