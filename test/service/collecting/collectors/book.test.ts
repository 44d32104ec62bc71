import { expect, it } from 'vitest';
import { realTime } from '#src/runtime/clock.ts';
import { hour, minute } from '#src/runtime/units.ts';
import book from '#src/service/collecting/collectors/book.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import { fakeClock } from '#test/support/clock.ts';

it('each minute is stored when it is over, also after the clock was set back in the midst of a request', async () => {
  const wall = fakeClock();
  const stopped = new AbortController();
  const begin = Date.UTC(2026, 11, 31, 23, 58, 30);
  let offset = begin;
  const stored: string[] = [];
  const listening = book.listen?.({
    exchanges: {
      venue: { roles: { book: {} } },
      markets: {
        async book() {
          if (wall.now() === minute) offset = begin - 2 * hour;
          return [{ symbol: 'BTCUSDT', bidPrice: 1, askPrice: 2, imbalance: 0 }];
        },
      },
    },
    ...{ wall, clock: realTime({ now: () => wall.now() + offset }), symbols: () => ['BTCUSDT'], report() {} },
    write: async (_: string, rows: readonly { readonly time: number }[]) =>
      void stored.push(...rows.map(({ time }) => new Date(time).toISOString().slice(11, 16))),
    signal: stopped.signal,
  } as unknown as CollectorContext);
  await wall.advance(3 * minute);
  stopped.abort();
  await listening;
  expect(stored).toEqual(['23:59', '22:00', '22:01']);
});
