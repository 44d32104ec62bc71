import { expect, test } from 'vitest';
import { rollTape } from '#src/detectors/kit/tape.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';

const start = Date.UTC(2026, 0, 4);
const rules = { window: 15 * minute, halfLife: 3 * day, minHistory: 4, factor: 6, minUsd: 1 };

test('a window stands out against what is usual at its hour of the week', () => {
  let tape: ReturnType<typeof rollTape>['tape'] | undefined;
  /** Polls every 15 min until `days` have passed; three times as much as usual is liquidated from 13:00 to 14:00. */
  const pollUntil = (days: number) => {
    let rolled: ReturnType<typeof rollTape> | undefined;
    for (let now = tape?.read.last ?? start; now < start + days * day; now += 15 * minute) {
      const usd = Math.floor(now / hour) % 24 === 13 ? 3_000 : 1_000;
      const rows = ['A', 'B'].map((symbol) => ({
        symbol,
        side: 'LONG',
        price: '1',
        quantity: String(usd),
        usd_value: usd,
        event_time: iso(now),
      }));
      rolled = rollTape(tape, { rows, nameOf: ({ symbol }) => symbol, rules: { ...rules, now } });
      tape = rolled.tape;
    }
    return rolled;
  };
  const levelAt = (hours: number) => pollUntil(28 + hours / 24)?.windows[0]?.level ?? Number.NaN;
  expect(pollUntil(7)?.hourKnown).toBe(false);
  const night = levelAt(4);
  expect(levelAt(13.5) / night).toBeGreaterThan(2.2);
  expect(levelAt(20) / night).toBeCloseTo(1, 0);
});
