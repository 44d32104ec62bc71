import pino from 'pino';
import { expect, it } from 'vitest';
import { ApiError } from '#src/runtime/errors.ts';
import { minute } from '#src/runtime/units.ts';
import { collectFromPrimary, type PrimaryOptions } from '#src/service/collecting/primary.ts';
import { fakeClock } from '#test/support/clock.ts';

const limited = (retryAfter: number) =>
  new ApiError('a /time', 'rate_limited', 'HTTP 403: too many requests', { retryAfter });
const blocked = new ApiError('a /time', 'unauthorized', 'HTTP 451', { retryAfter: 15 * minute });

it.each<[string, readonly Error[], string, number]>([
  ['that answers is chosen', [], 'a', 0],
  ['that limits its requests for a while is waited for', [limited(10 * minute)], 'a', 10 * minute],
  ['that limits them again is not', [limited(10 * minute), limited(10 * minute)], 'b', 10 * minute],
  ['that has banned this address for hours is not', [limited(180 * minute)], 'b', 0],
  ['that refuses this place is not', [blocked], 'b', 0],
])('a venue %s', async (_, answers, expected, waited) => {
  const wall = fakeClock();
  const chosen: [name: string, at: number][] = [];
  const stopped = new AbortController();
  const failures = [...answers];
  const venues = ['a', 'b'].map((name) => ({ name, title: name }));
  const collecting = collectFromPrimary({
    venues,
    wall,
    random: () => 0,
    log: pino({ level: 'silent' }),
    signal: stopped.signal,
    others: { except: () => [], close: async () => {} },
    held: {
      name: () => undefined,
      async change(name: string) {
        chosen.push([name, wall.now()]);
        stopped.abort();
      },
    },
    open: async ({ name }: { readonly name: string }) => ({
      markets: {
        async serverTime() {
          const failure = name === 'a' ? failures.shift() : undefined;
          if (failure !== undefined) throw failure;
          return 0;
        },
      },
      close: async () => {},
    }),
  } as unknown as PrimaryOptions);
  await wall.advance(20 * minute);
  expect(chosen).toEqual([[expected, waited]]);
  await collecting.stop();
});
