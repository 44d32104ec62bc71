import { describe, expect, it } from 'vitest';
import type { LineJob } from '#src/preview/job.ts';
import { createPastLines } from '#src/preview/past-lines.ts';
import { day, minute } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';

const now = Date.UTC(2026, 0, 15);
const basis = { metric: 'basis.pct', symbol: 'BTCUSDT' } as const;
const points = [[now - day, 0.01]] as const;

function linesOf(over: Partial<Parameters<typeof createPastLines>[0]> = {}) {
  const jobs: LineJob[] = [];
  const warned: object[] = [];
  const wall = fakeClock();
  const lines = createPastLines({
    archive: { url: 'file:archive.db', whole: () => true },
    line: async (job) => {
      jobs.push(job);
      return points;
    },
    seen: async () => undefined,
    now: () => now,
    wall,
    log: { warn: (about: object) => void warned.push(about) },
    ...over,
  });
  return { ...lines, jobs, warned, wall };
}

describe('the past of a metric', () => {
  it('is read over the days of a preview, and cached for a while', async () => {
    const { of, jobs, wall } = linesOf();
    expect(await of(basis)).toEqual(points);
    expect(await of(basis)).toEqual(points);
    expect(jobs).toEqual([
      { over: { archiveUrl: 'file:archive.db' }, from: now - 30 * day, to: now, line: basis },
    ]);
    await wall.advance(5 * minute);
    await of(basis);
    expect(jobs).toHaveLength(2);
  });

  it('is not read before the archive has it', async () => {
    const { of, jobs } = linesOf({ archive: { url: 'file:archive.db', whole: () => false } });
    expect([await of(basis), jobs]).toEqual([undefined, []]);
  });

  it('is missing if reading fails, which is logged, and the next one is read', async () => {
    let broken = true;
    const { of, warned } = linesOf({
      line: async () => {
        if (broken) throw new Error('the process ended');
        return points;
      },
    });
    expect([await of(basis), warned.length]).toEqual([undefined, 1]);
    broken = false;
    expect(await of({ ...basis, symbol: 'ETHUSDT' })).toEqual(points);
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
    const { of, wall, close } = linesOf({ line: () => new Promise(() => {}) });
    const slow = Array.from({ length: 7 }, (_, n) => of({ ...basis, symbol: `M${n}USDT` }));
    expect(await of(basis)).toBeUndefined();
    await wall.advance(minute);
    expect(await Promise.all(slow)).toEqual(Array(7).fill(undefined));
    void close();
  });
});
