import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { minute } from '#src/runtime/units.ts';
import { createPriceTable } from '#src/service/collecting/price-table.ts';
import { createPriceStream } from '#src/service/http/stream.ts';
import { fakeClock } from '#test/support/clock.ts';

/** A stream of one price, and a way to open it for a client of which so many bytes wait. */
function opened() {
  const clock = fakeClock(0);
  const table = createPriceTable();
  const tell = (price: number) => table.take([{ symbol: 'BTCUSDT', price }], clock.now());
  tell(100);
  const stream = createPriceStream({
    prices: () => table,
    news: async () => [],
    now: clock.now,
    wall: clock,
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(async () => {
    const stopped = stream.stop();
    await clock.advance(minute);
    await stopped;
  });
  const connect = (writableLength = 0) => {
    const emitter = new EventEmitter();
    const methods = { writableLength, writeHead: () => {}, write: () => true };
    const close = () => emitter.emit('close');
    const response = Object.assign(emitter, { ...methods, end: close, destroy: close });
    const isOpen = stream.open(response as unknown as ServerResponse, {
      lastEventId: undefined,
      symbols: undefined,
    });
    return { isOpen, close };
  };
  return { clock, connect };
}

it('at most 64 listen at once, and whoever leaves makes room', () => {
  const { connect } = opened();
  const [first] = Array.from({ length: 64 }, () => connect());
  expect(connect().isOpen).toBe(false);
  first?.close();
  expect([connect().isOpen, connect().isOpen]).toEqual([true, false]);
});

it('a client for which more than a mebibyte waits is let go', async () => {
  const { clock, connect } = opened();
  for (let client = 0; client < 64; client += 1) connect(1024 * 1024 + (client === 0 ? 1 : 0));
  await clock.advance(1);
  expect([connect().isOpen, connect().isOpen]).toEqual([true, false]);
});
