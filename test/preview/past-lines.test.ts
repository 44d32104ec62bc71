import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createPastLines } from '#src/preview/past-lines.ts';
import { createSlices } from '#src/preview/slices.ts';
import type { PreviewArchive } from '#src/preview/standard-past.ts';
import { day, iso, minute } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';
import { answers, dataClient } from '#test/support/data.ts';

const now = Date.UTC(2026, 0, 15);
const basis = { metric: 'basis.pct', symbol: 'BTCUSDT' } as const;

function linesOf(
  over: Partial<Parameters<typeof createPastLines>[0]> & { open?: PreviewArchive['open'] } = {},
) {
  const opened: object[] = [];
  const warned: object[] = [];
  const wall = fakeClock();
  const lines = createPastLines({
    archive: {
      whole: () => true,
      async open({ end, choose }) {
        opened.push({ end, symbols: choose?.(['BTCUSDT', 'ETHUSDT']) });
        const at = (moment: number) => {
          const row = { ...answers.basis.data[0], timestamp: iso(moment), basisPct: 0.01 };
          return dataClient({ basis: { ...answers.basis, data: [row] } as typeof answers.basis });
        };
        return { symbols: [], at, close: async () => {} };
      },
      ...(over.open && { open: over.open }),
    },
    slices: createSlices(wall, new AbortController().signal),
    seen: async () => undefined,
    now: () => now,
    wall,
    log: pino({ level: 'warn' }, { write: (line) => void warned.push(JSON.parse(line)) }),
    ...over,
  });
  return { ...lines, opened, warned, wall };
}

describe('the past of a metric', () => {
  it('is read over the days of a preview, and cached for a while', async () => {
    const { of, opened, wall } = linesOf();
    const points = await of(basis);
    expect(points?.at(-1)).toEqual([now, 0.01]);
    expect(now - (points?.[0]?.[0] ?? 0)).toBeGreaterThan(22 * day);
    expect(await of(basis)).toEqual(points);
    expect(opened).toEqual([{ end: now, symbols: ['BTCUSDT'] }]);
    await wall.advance(5 * minute);
    await of(basis);
    expect(opened).toHaveLength(2);
  });

  it('is not read before the archive has it', async () => {
    const open = () => Promise.reject(new Error('not yet'));
    const { of, warned } = linesOf({ archive: { whole: () => false, open } });
    expect([await of(basis), warned]).toEqual([undefined, []]);
  });

  it('is missing if reading fails, which is logged, and read again when it is asked for again', async () => {
    let opens = 0;
    const { of, warned } = linesOf({
      async open() {
        if (opens++ === 0) throw new Error('it broke');
        return { symbols: [], at: () => dataClient(), close: async () => {} };
      },
    });
    expect([await of(basis), warned.length]).toEqual([undefined, 1]);
    expect(await of(basis)).toBeDefined();
  });

  it('consists of what the bot has seen if there is no archive', async () => {
    const { of } = linesOf({
      archive: undefined,
      seen: async ({ condition, symbols }) => ({
        since: now - day,
        seen: [
          { symbol: symbols[0] ?? '', time: now - day, at: now - day, values: { 'basis.pct': 0.04 } },
          { time: now, at: now, values: { 'regime.state': condition } },
        ],
      }),
    });
    expect(await of(basis)).toEqual([[now - day, 0.04]]);
  });

  it('is unavailable at once if many are waiting, and soon if reading is slow', async () => {
    const { of, wall, close } = linesOf({ open: () => new Promise(() => {}) });
    const slow = Array.from({ length: 7 }, (_, n) => of({ ...basis, symbol: `M${n}USDT` }));
    expect(await of(basis)).toBeUndefined();
    await wall.advance(minute);
    expect(await Promise.all(slow)).toEqual(Array(7).fill(undefined));
    void close();
  });
});
