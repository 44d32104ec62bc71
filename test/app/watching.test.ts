import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Core } from '#src/app/core.ts';
import { keepFollowed } from '#src/app/watching.ts';
import { realTime, wallClock } from '#src/runtime/clock.ts';

test('each market that is named, listed and not followed is asked about, and no other', async () => {
  const asked: string[] = [];
  let followed = ['BTCUSDT'];
  const core = {
    meta: {
      listed: () => ['BTCUSDT', 'ZECUSDT', 'XAUUSDT'],
      symbols: () => followed,
      market: () => realTime(wallClock),
    },
    client: {
      polls: {
        async intelligence({ symbol = '' } = {}) {
          asked.push(symbol);
          followed = [...followed, symbol];
        },
      },
    },
    wall: wallClock,
    log: pino({ level: 'silent' }),
  } as unknown as Core;
  const named = async () => ['top20', 'BTCUSDT', 'ZECUSDT', 'ZECUSDT', 'GONEUSDT', 'XAUUSDT'];
  const loop = keepFollowed(named, core);
  onTestFinished(() => loop.stop());
  await expect.poll(() => asked).toEqual(['ZECUSDT', 'XAUUSDT']);
  loop.wake();
  await expect.poll(() => followed.length).toBe(3);
  expect(asked).toEqual(['ZECUSDT', 'XAUUSDT']);
});
