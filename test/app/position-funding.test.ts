import pino from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HeldPosition } from '#src/alert/rule.ts';
import { createPositionFunding, openOwnRules } from '#src/app/own-rules.ts';
import { type PositionRule, positionRule } from '#src/places/positions.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { fakeClock } from '#test/support/clock.ts';
import { dataClient } from '#test/support/data.ts';

const noted = Date.UTC(2026, 0, 10, 3);
const receiver = { notifier: 'web', address: { room: 'mine' } };
const position = (over: Partial<HeldPosition> = {}, symbol = 'ZECUSDT'): PositionRule => ({
  ...positionRule(
    { symbol, side: 'long', entry: 500, leverage: 10, ...over },
    { receiver, who: 'ada', person: null, at: noted },
  ),
  id: 'p1',
});

/** Looks at a market whose rates were settled every 8 hours: one before the position was noted, and then the given ones. */
function watching(rates: readonly number[]) {
  let held: readonly PositionRule[] = [];
  let state: Parameters<typeof detector.step>[0];
  const detector = createPositionFunding(async () => held);
  const rows = [0.5, ...rates].map((rate, index) => ({
    timestamp: iso(noted - 3 * hour + index * 8 * hour),
    rate: String(rate),
    annualized: '0',
  }));
  return {
    /** Looks when so many of the rates are settled. */
    async look(settled: number, positions: readonly PositionRule[], fails = false) {
      held = positions;
      const fundingHistory = fails
        ? new ApiError('/funding/history', 'invalid_request', 'unknown symbol')
        : { symbol: 'ZECUSDT', data: rows.slice(0, settled + 1) };
      const now = noted + 5 * hour + (settled - 1) * 8 * hour + 7 * minute;
      const data = dataClient({ fundingHistory });
      const context = { data, state, options: {}, symbols: [], now, signal: new AbortController().signal };
      const seen = await detector.observe(context);
      const { state: next, changes } = detector.step(state, seen, { options: {}, now });
      state = detector.state.parse(JSON.parse(JSON.stringify(next)));
      return changes;
    },
  };
}

describe('funding that a position has paid', () => {
  test('alerts its place when it has cost a tenth of the margin, once, and ends as it is paid back', async () => {
    // 10 × 0.4 % = 4 % of the margin each.
    const { look } = watching([0.004, 0.004, 0.004, 0.0005, -0.0025, -0.002]);
    const rule = position();
    expect(await look(1, [rule])).toEqual([]);
    expect(await look(2, [rule])).toEqual([]);
    const [alert, ...others] = await look(3, [rule]);
    expect(alert).toMatchObject({
      status: 'firing',
      only: receiver,
      labels: { kind: 'own-rule', rule: 'p1', symbol: 'ZECUSDT', about: 'funding' },
    });
    expect(others).toEqual([]);
    expect(await look(4, [rule])).toEqual([]);
    // At 9.5 % it still goes on.
    expect(await look(5, [rule])).toMatchObject([]);
    expect(await look(6, [rule])).toMatchObject([{ status: 'resolved', labels: alert?.labels }]);
  });

  test.each([
    ['short', undefined, [-0.004, -0.004, -0.004], 1],
    ['short', undefined, [0.004, 0.004, 0.004], 0],
    ['long', 5, [0.004, 0.004], 1],
    ['long', 50, [0.004, 0.004, 0.004], 0],
  ] as const)('of a %s with a limit of %s %%: %j', async (side, funding, rates, count) => {
    const rule = position({ side, ...(funding !== undefined && { funding }) });
    expect(await watching(rates).look(rates.length, [rule])).toHaveLength(count);
  });

  test('ends with the position, and does not where no answer came', async () => {
    const { look } = watching([0.02]);
    expect(await look(1, [position()])).toHaveLength(1);
    await expect(look(1, [position()], true)).rejects.toThrow(ApiError);
    expect(await look(1, [])).toMatchObject([{ status: 'resolved', annotations: { unknown: true } }]);
    expect(await look(1, [])).toEqual([]);
  });
});

test('positions are judged as they are held, and their markets kept followed', async () => {
  const store = await openStore('file::memory:');
  onTestFinished(() => store.close());
  const clock = fakeClock(noted);
  const rules = openOwnRules({
    watch: true,
    store,
    data: dataClient(),
    universe: () => [],
    now: clock.now,
    wall: clock,
    log: pino({ level: 'silent' }),
  });
  const { id: _, ...given } = position();
  const stored = await store.rules.add(given);
  expect(await rules.named()).toEqual(['ZECUSDT']);
  expect(await rules.positions()).toEqual([stored]);
  await store.rules.update({ ...stored, paused: true });
  expect([await rules.named(), await rules.positions()]).toEqual([[], []]);
});
