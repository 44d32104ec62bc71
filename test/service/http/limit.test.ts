import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOf, createLimiter } from '#src/service/http/limit.ts';

describe('the limit of requests without a key', () => {
  it('never more than max in a window, and never refused once it is over', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 100 }), (steps) => {
        const limiter = createLimiter({ max: 3, per: 100 });
        let now = 0;
        let opened: number | undefined;
        let passed = 0;
        for (const step of steps) {
          now += step;
          if (opened === undefined || now >= opened + 100) [opened, passed] = [now, 0];
          const wait = limiter.take('203.0.113.1', now);
          if (wait === 0) passed += 1;
          else expect(now + wait).toBe(opened + 100);
          expect(passed).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  it('one pool for each client, whatever form its address has', () => {
    const same = [
      ['203.0.113.7', '::ffff:203.0.113.7'],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ];
    for (const [a = '', b = ''] of same) expect(clientOf(a)).toBe(clientOf(b));
    expect(clientOf('2001:db8:1:2::1')).not.toBe(clientOf('2001:db8:1:3::1'));
    expect(clientOf('203.0.113.7')).not.toBe(clientOf('203.0.113.8'));
    expect(clientOf('')).toBe('');
  });

  it('memory is bounded: the oldest of very many clients is forgotten', () => {
    const limiter = createLimiter({ max: 1, per: 1_000_000 });
    limiter.take('198.51.100.1', 0);
    expect(limiter.take('198.51.100.1', 0)).toBeGreaterThan(0);
    for (let i = 0; i < 10_000; i++) limiter.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 0);
    expect(limiter.take('198.51.100.1', 0)).toBe(0);
  });
});
