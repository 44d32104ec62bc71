import { z } from 'zod';
import { count, money, price, time } from '../card/format.ts';
import { part } from '../command/failure.ts';
import { symbol, timeSpan } from '../command/input.ts';
import { formatDuration, iso, minute } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

/** The service answers no more rows than this, the newest. */
const limit = 500;
const shown = 10;

export default defineCommand({
  name: 'liquidations',
  description: 'Liquidations of a market, or of all: how much on each side, and the largest',
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT; all where it is left out').optional(),
    window: timeSpan('5m', '24h').describe('How far back').prefault('1h'),
  }),
  async run({ symbol, window }, { data, caller, now, signal }) {
    const since = iso(Math.floor((now - window) / minute) * minute);
    const query = { since, limit, ...(symbol !== undefined && { symbol }) };
    const [{ data: events }, quality] = await Promise.all([
      data.liquidations(query, signal),
      part('whether the feed is alive', data.dataQuality({}, signal)),
    ]);
    const sum = (side: string) =>
      events.reduce((total, event) => total + (event.side === side ? event.usd_value : 0), 0);
    const cut = events.length >= limit;
    const oldest = events.at(-1);
    const newest = events[0];
    const blind = quality.value?.checks.liquidation_events.fresh === false;
    return {
      title: `Liquidations of ${symbol ?? 'all markets'}, ${formatDuration(window)}`,
      summary: [
        events.length === 0
          ? 'None was seen.'
          : cut && oldest !== undefined
            ? `At least these: only the newest ${limit} can be had, back to ${time(Date.parse(oldest.event_time), caller.timeZone)}.`
            : 'At least these: the exchange publishes at most one a second for each market.',
        ...(blind ? ['The feed is not fresh: what is missing here may still have happened.'] : []),
      ].join('\n'),
      facts: [
        { name: 'Longs liquidated', value: money(sum('LONG')) },
        { name: 'Shorts liquidated', value: money(sum('SHORT')) },
        { name: 'Events', value: `${cut ? 'at least ' : ''}${count(events.length)}` },
        ...quality.missing,
      ],
      ...(events.length > 0 && {
        table: {
          columns: ['Market', 'Side', 'Value', 'Price', 'Time'],
          rows: events
            .toSorted((a, b) => b.usd_value - a.usd_value)
            .slice(0, shown)
            .map((event) => [
              event.symbol,
              event.side,
              money(event.usd_value),
              price(Number(event.price)),
              time(Date.parse(event.event_time), caller.timeZone),
            ]),
        },
      }),
      dataTime: newest === undefined ? now : Date.parse(newest.event_time),
    };
  },
});
