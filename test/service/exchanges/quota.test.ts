import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rollingQuota } from '#src/service/exchanges/quota.ts';

describe('a rolling quota', () => {
  it('spends up to the limit within the window, then says how long to wait', () => {
    const quota = rollingQuota(10, { per: 1_000 });
    expect([
      quota.take(6, { now: 0, share: 1 }),
      quota.take(4, { now: 100, share: 1 }),
      quota.take(1, { now: 200, share: 1 }),
    ]).toEqual([0, 0, 800]);
    expect([quota.take(6, { now: 1_000, share: 1 }), quota.take(1, { now: 1_000, share: 1 })]).toEqual([
      0, 100,
    ]);
  });

  it('reserves a share of the limit for requests about the present', () => {
    const quota = rollingQuota(10, { per: 1_000 });
    expect([
      quota.take(7, { now: 0, share: 0.7 }),
      quota.take(1, { now: 0, share: 0.7 }),
      quota.take(3, { now: 0, share: 1 }),
    ]).toEqual([0, 1_000, 0]);
  });

  it('counts what the exchange reports, because others may use the same address', () => {
    const quota = rollingQuota(10, { per: 1_000 });
    quota.observe(9, 0);
    expect([
      quota.take(2, { now: 0, share: 1 }),
      quota.take(1, { now: 0, share: 1 }),
      quota.take(2, { now: 1_000, share: 1 }),
    ]).toEqual([1_000, 0, 0]);
  });

  it('lets a request that costs more than its share pass alone instead of waiting for ever', () => {
    const quota = rollingQuota(10, { per: 1_000 });
    expect([
      quota.take(9, { now: 0, share: 0.5 }),
      quota.take(9, { now: 0, share: 0.5 }),
      quota.take(9, { now: 1_000, share: 0.5 }),
    ]).toEqual([0, 1_000, 0]);
  });

  it('is continued by the next process, in parts of its window that are never too early', () => {
    const quota = rollingQuota(10, { per: 60_000 });
    quota.take(2, { now: 100, share: 1 });
    quota.take(3, { now: 900, share: 1 });
    quota.take(4, { now: 1_100, share: 1 });
    expect(quota.costs(2_000)).toEqual([
      [1_000, 5],
      [2_000, 4],
    ]);
    const next = rollingQuota(10, { per: 60_000, before: quota.costs(2_000) });
    expect([
      next.take(2, { now: 2_000, share: 1 }),
      next.take(1, { now: 2_000, share: 1 }),
      next.take(1, { now: 60_999, share: 1 }),
    ]).toEqual([59_000, 0, 1]);
    expect(next.costs(61_000)).toEqual([[2_000, 5]]);
  });

  it.each([false, true])(
    'is full for one window, not for hours, after the clock is put back (restart: %s)',
    (restart) => {
      const [ahead, now] = [9 * 3_600_000, 3_600_000];
      let quota = rollingQuota(10, { per: 60_000 });
      quota.take(4, { now: ahead, share: 1 });
      quota.take(6, { now: ahead + 5_000, share: 1 });
      if (restart) quota = rollingQuota(10, { per: 60_000, before: quota.costs(ahead + 5_000) });
      expect([
        quota.take(1, { now, share: 1 }),
        quota.take(1, { now: now + 30_000, share: 1 }),
        quota.take(10, { now: now + 60_000, share: 1 }),
      ]).toEqual([60_000, 30_000, 0]);
      expect(quota.costs(now + 60_000)).toEqual([[now + 60_000, 10]]);
    },
  );

  it('is never exceeded in any window, and waiting as told always helps', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(400))), (asks) => {
        const quota = rollingQuota(10, { per: 1_000 });
        const spent: { at: number; cost: number }[] = [];
        let now = 0;
        for (const [cost, pause] of asks) {
          now += pause;
          let tries = 0;
          for (
            let wait = quota.take(cost, { now, share: 1 });
            wait > 0;
            wait = quota.take(cost, { now, share: 1 })
          ) {
            tries += 1;
            expect(tries).toBeLessThan(20);
            now += wait;
          }
          spent.push({ at: now, cost });
        }
        for (const { at } of spent) {
          const inWindow = spent.filter((entry) => entry.at > at - 1_000 && entry.at <= at);
          expect(inWindow.reduce((sum, entry) => sum + entry.cost, 0)).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});
