import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bucket, createRefills } from '#src/runtime/bucket.ts';

const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(60), fc.constantFrom('a', 'b')), {
  maxLength: 150,
});

describe('a bucket of rolling windows', () => {
  it('is never exceeded in any of its windows or lanes, and a use that waits as told fits then', () => {
    fc.assert(
      fc.property(steps, (asked) => {
        const bucket = new Bucket<string>(100);
        const limits = [{ max: 9 }, { max: 5, per: 20 }, { max: 6, lane: 'a' }];
        const spent: { at: number; cost: number; lane: string }[] = [];
        let now = 0;
        for (const [cost, pause, lane] of asked) {
          now += pause;
          const own = limits.filter((limit) => limit.lane === undefined || limit.lane === lane);
          const wait = () => Math.max(...own.map((limit) => bucket.wait(now, { ...limit, cost })));
          for (let ms = wait(); ms > 0; ms = wait()) now += ms;
          bucket.add(now, { cost, lane });
          spent.push({ at: now, cost, lane });
        }
        for (const { at } of spent)
          for (const { max, per = 100, lane } of limits) {
            const window = spent.filter((use) => use.at > at - per && use.at <= at);
            const counted = window.filter((use) => lane === undefined || use.lane === lane);
            expect(counted.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(max);
          }
      }),
    );
  });

  it('says exactly when one more fits, and lets what costs more than all pass alone', () => {
    const bucket = new Bucket(100);
    for (const at of [0, 10, 20]) bucket.add(at);
    expect(bucket.wait(30, { max: 4 })).toBe(0);
    expect(bucket.wait(30, { max: 3 })).toBe(70);
    expect(bucket.wait(30, { max: 3, cost: 2 })).toBe(80);
    expect(bucket.wait(30, { max: 3, cost: 9 })).toBe(90);
    expect(bucket.wait(30, { max: 1, per: 10 })).toBe(0);
    expect(bucket.wait(120, { max: 3, cost: 9 })).toBe(0);
  });

  it('counts a use until it is taken back, wherever in time it was added', () => {
    const bucket = new Bucket(100);
    const late = bucket.add(50);
    bucket.add(20);
    expect(bucket.uses(60).map(({ at }) => at)).toEqual([20, 50]);
    bucket.remove(late);
    bucket.remove(late);
    expect(bucket.wait(60, { max: 1 })).toBe(60);
    expect(bucket.uses(120)).toEqual([]);
  });
});

it('a bucket without windows counts nothing', () => {
  const bucket = new Bucket(0);
  bucket.add(1);
  expect(bucket.uses(1)).toEqual([]);
  expect(new Bucket(0).uses(1)).toEqual([]);
});

describe('buckets that are refilled', () => {
  it('take a burst, then one each interval, by key, and what is given back', () => {
    const refills = createRefills({ burst: 3, interval: 10 });
    const take = (now: number, key = 'a') => refills.take(key, now);
    expect([take(0), take(0), take(0), take(0), take(0, 'b')]).toEqual([0, 0, 0, 10, 0]);
    expect([take(9), take(10), take(10), take(100), take(100), take(100), take(100)]).toEqual([
      1, 0, 10, 0, 0, 0, 10,
    ]);
    refills.giveBack('a', 100);
    expect([take(100), take(100)]).toEqual([0, 10]);
  });

  it('are not shut by a clock that was set back', () => {
    const refills = createRefills({ burst: 2, interval: 10 });
    expect([refills.take('a', 1_000_000), refills.take('a', 0), refills.take('a', 0)]).toEqual([0, 0, 0]);
    expect(refills.take('a', 0)).toBe(10);
  });
});
