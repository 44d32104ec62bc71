import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DataClient } from '#src/contract/data-client.ts';
import type { EndpointAnswer } from '#src/contract/index.ts';
import { openNames } from '#src/detectors/kit/episode.ts';
import detector from '#src/detectors/oi-momentum.ts';
import { ApiError, type ApiErrorReason } from '#src/runtime/errors.ts';
import { iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { answers } from '#test/support/data.ts';
import { asking, brief, drive, looks, observe, said, saidOf } from './drive.ts';

const time = (index: number) => start + index * 5 * minute;
const signalOf = (rate: number) => {
  if (rate > 1) return 'RAPID_BUILDUP';
  if (rate < -1) return 'RAPID_UNWIND';
  return rate > 0.3 ? 'BUILDING' : 'STABLE';
};

/** Returns the answer for a series of rates, one per snapshot, up to and including `index`. */
const answer = (
  rates: readonly number[],
  index: number,
  symbol = 'BTCUSDT',
): EndpointAnswer<'oiMomentum'> => {
  const data = rates.slice(0, index + 1).map((ratePct, each) => ({
    timestamp: iso(time(each)),
    oi: 1_000 + each,
    ratePct,
    accelerationPct: 0.1,
  }));
  const current = data.at(-1);
  return {
    symbol,
    data,
    dataPoints: data.length,
    ...(current === undefined ? {} : { current }),
    avgRatePct: 0,
    maxAcceleration: 0,
    signal: signalOf(current?.ratePct ?? 0),
  };
};
const seen = (rates: readonly number[], index: number, prices = {}) =>
  [
    time(index) + 45_000,
    { answers: [answer(rates, index)] as EndpointAnswer<'oiMomentum'>[], prices },
  ] as const;
const run = (rates: readonly number[], options = {}) =>
  brief(
    drive(
      detector,
      options,
      rates.map((_, index) => seen(rates, index)),
    ).changes,
  );

test('open interest that is said to have fallen to nothing is no unwind, and passes no floor in money', () => {
  const fall = answer([0.1, -100], 1);
  const zero = { ...fall, data: fall.data.map((row, index) => (index === 1 ? { ...row, oi: 0 } : row)) };
  const current = zero.data[1];
  const told = { ...zero, ...(current && { current }) };
  const at = time(1) + 45_000;
  expect(
    brief(
      drive(detector, { minMove: 0 }, [
        seen([0.1], 0, { BTCUSDT: 100_000 }),
        [at, { answers: [told], prices: { BTCUSDT: 100_000 } }],
      ]).changes,
    ),
  ).toEqual('. .');
});

describe('open interest momentum', () => {
  test.each<[string, number[], string]>([
    ['what is rapid at the baseline is not told, nor its end', [2, 2, 0, 0, 0], '. . . . .'],
    ['a buildup is told at once', [0, 1.4], '. +info'],
    ['an unwind is told at once', [0, -1.4], '. +info'],
    ['it ends when calm twice', [0, 1.4, 0.1, 0.1], '. +info . -info'],
    ['calm once is not calm', [0, 1.4, 0.1, 1.2, 0.1], '. +info . . .'],
    ['just below the entry is not calm', [0, 1.4, 0.9, 0.8, 0.9], '. +info . . .'],
    ['5 % is critical', [0, 5.5], '. +critical'],
    [
      'it escalates, and ends as what it was at its worst',
      [0, 1.4, 5.1, 1.4, 0, 0],
      '. +info ~critical . . -critical',
    ],
    ['what was rapid at the baseline and becomes critical is told', [2, 5.1], '. +critical'],
    ['the reverse ends it at once', [0, 1.4, -2.8], '. +info -info+info'],
    [
      'after its end the cooldown holds the same signal back, unless it is critical',
      [0, 1.4, 0, 0, 1.4, 5.2],
      '. +info . -info . +critical',
    ],
  ])('%s', (_rule, rates, expected) => {
    expect(run(rates)).toEqual(expected);
  });

  test.each<[string, number[], Record<string, unknown>, number | undefined, string]>([
    ['1 % of the last 15 min', [0, 0, 1.2], {}, undefined, '+info'],
    ['a snapshot that takes back the one before it', [0, -1.2, 1.4], { cooldown: '0s' }, undefined, '-info'],
    ['less than is asked for', [0, 0, 1.2], { minPct: 1.5 }, undefined, '.'],
    ['the three snapshots together', [0, 0.4, 0.4, 1.2], { minPct: 1.9 }, undefined, '+info'],
    ['a snapshot of before that', [0, 5, 0.1, 0.1, 0.1, 1.2], { minPct: 3 }, undefined, '.'],
    ['$1.2M', [0, 0, 1.2], {}, 100_000, '+info'],
    ['$0.36M', [0, 0, 1.2], {}, 30_000, '.'],
    ['$0.36M that closes', [0, 0, -1.2], {}, 30_000, '.'],
    ['$0.36M where that is enough', [0, 0, 1.2], { minUsd: 300_000 }, 30_000, '+info'],
  ])('has a minimum size: %s', (_rule, rates, options, price, expected) => {
    const prices = price === undefined ? {} : { BTCUSDT: price };
    const { changes } = drive(
      detector,
      { minMove: 0, ...options },
      rates.map((_, index) => seen(rates, index, prices)),
    );
    expect(looks(changes).at(-1)).toBe(expected);
  });

  test('is one post for markets that begin within hours of the last, on either side', () => {
    const look = (index: number, rates: Record<string, number>) =>
      [
        time(index) + 45_000,
        {
          answers: Object.entries(rates).map(([symbol, rate]) =>
            answer([0, rate].slice(0, index + 1), index, symbol),
          ),
          prices: {},
        },
      ] as const;
    const { changes } = drive(detector, { minMove: 0 }, [
      look(0, { AUSDT: 0, BUSDT: 0, CUSDT: 0 }),
      look(1, { AUSDT: -1.5, BUSDT: -2, CUSDT: 2 }),
    ]);
    const bursts = Object.fromEntries((changes[1] ?? []).map(({ labels, burst }) => [labels.symbol, burst]));
    expect(bursts.AUSDT).toBeDefined();
    expect([bursts.BUSDT, bursts.CUSDT]).toEqual([bursts.AUSDT, bursts.AUSDT]);
  });

  test.each([
    ['a price that moves', 99_400, '+info'],
    ['a price that hardly moves', 99_800, '.'],
    ['a price whose move is not known', undefined, '+info'],
  ])('is worth a post only beside %s', (_, price, expected) => {
    const rates = [0, 1.4];
    const [at, last] = seen(rates, 1, price === undefined ? {} : { BTCUSDT: price });
    const { changes } = drive(detector, {}, [seen(rates, 0, { BTCUSDT: 100_000 }), [at, last]]);
    expect(looks(changes)[1]).toBe(expected);
  });

  test('may fire again after the cooldown', () => {
    const rates = [0, 1.4, 0, 0, 1.4];
    expect(run(rates, { cooldown: '0s' })).toBe('. +info . -info +info');
  });

  test('counts snapshots, not polls: a missed poll loses nothing', () => {
    const rates = [0, 1.4, 0, 0];
    const every = [seen(rates, 0), seen(rates, 1), seen(rates, 3)];
    expect(brief(drive(detector, { minMove: 0 }, every).changes)).toEqual('. +info -info');
    const twice = [seen(rates, 0), seen(rates, 1), seen(rates, 2), seen(rates, 2)];
    expect(brief(drive(detector, { minMove: 0 }, twice).changes)).toEqual('. +info . .');
  });

  test('is unknown for a symbol without an answer or with old data', () => {
    const rates = [0, 1.4, 0, 0];
    const [, stale] = seen(rates, 3);
    const { changes } = drive(detector, { minMove: 0 }, [
      seen(rates, 0),
      seen(rates, 1),
      [time(2), { answers: [] as EndpointAnswer<'oiMomentum'>[], prices: {} }],
      [time(20), stale],
    ]);
    expect(brief(changes)).toEqual('. +info . .');
  });

  const beside = (rate: number, price: number | undefined, wait = 0) => {
    const rates = [0, rate];
    const [later, last] = seen(rates, 1, price === undefined ? {} : { BTCUSDT: price });
    const { changes } = drive(detector, { minMove: 0 }, [
      seen(rates, 0, { BTCUSDT: 100_000 }),
      [later + wait, last],
    ]);
    return changes[1] ?? [];
  };

  test.each([
    [1.4, 100_500, 'builds up as the price rises', 'new longs'],
    [1.4, 99_500, 'builds up as the price falls', 'new shorts'],
    [-1.4, 99_500, 'unwinds as the price falls', 'longs are probably closing'],
    [-1.4, 100_500, 'unwinds as the price rises', 'short covering'],
    [1.4, 100_050, 'builds up:', 'doesn’t show'],
    [-1.4, undefined, 'unwinds:', 'doesn’t show'],
  ])('is explained from open interest %d %% and the price at %d: %s', (rate, price, title, summary) => {
    const [words] = beside(rate, price).map(said);
    expect(words?.title).toContain(title);
    expect(words?.summary).toContain(summary);
  });

  test('whose signal is reversed does not end as normal', () => {
    const rates = [0, 1.4, -2.8];
    const steps = rates.map((_, index) => seen(rates, index));
    expect(saidOf(drive(detector, { minMove: 0 }, steps).changes, 'resolved')?.summary).toBe(
      'Open interest has turned round: it now unwinds instead.',
    );
  });

  test('has no price context in its labels, and shows the numbers in its facts', () => {
    const changes = beside(-1.42, 99_000);
    expect(changes[0]?.labels).toEqual({ kind: 'oi-momentum', symbol: 'BTCUSDT', signal: 'RAPID_UNWIND' });
    expect(changes[0]?.annotations.dataTime).toBe(time(1));
    expect(changes.map(said)[0]).toMatchObject({
      title: 'BTC open interest unwinds as the price falls: −1.42% in 5 min',
      facts: expect.arrayContaining([
        { name: 'Price', value: '99,000.00' },
        { name: 'Price since last check', value: '−1.00%' },
      ]),
    });
  });

  test('is not explained by a move of the price over more than one missed look', () => {
    expect(beside(-1.42, 99_000, 9 * minute).map(said)[0]?.title).toContain('unwinds:');
  });

  test('fires once for a rate that oscillates about the entry level', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.55, max: 1.45, noNaN: true }), { minLength: 5 }), (rates) => {
        expect(run([0, 1.2, ...rates]).match(/\+/g)).toHaveLength(1);
      }),
      { numRuns: 30 },
    );
  });
});

test('a quiet market of which only the newest snapshot is known raises the same alerts', () => {
  const rate = fc.constantFrom(-5.5, -1.4, -0.4, 0, 0.2, 0.6, 1.4, 5.5);
  const isMissed = fc.array(fc.boolean(), { minLength: 20 });
  fc.assert(
    fc.property(fc.array(rate, { maxLength: 20 }), isMissed, (rates, missed) => {
      const looks = rates.map((_, index) => seen(rates, index)).filter((_, index) => missed[index] !== true);
      const shortened: typeof looks = [];
      for (const [at, { answers, prices }] of looks) {
        const state = detector.state.safeParse(drive(detector, { minMove: 0 }, shortened).state);
        const isOpen = openNames(state.data?.values).length > 0;
        const isQuiet = !isOpen && !answers.some(({ signal }) => signal.startsWith('RAPID'));
        const shown = answers.map((each) => (isQuiet ? { ...each, data: each.data.slice(-1) } : each));
        shortened.push([at, { answers: shown, prices }]);
      }
      expect(drive(detector, { minMove: 0 }, shortened).changes).toEqual(
        drive(detector, { minMove: 0 }, looks).changes,
      );
    }),
  );
});

describe('the requests', () => {
  const ask = async (
    over: Partial<DataClient>,
    { maxSymbols = 4, symbols = ['XRPUSDT'] }: { maxSymbols?: number; symbols?: string[] } = {},
  ) => {
    const { asked, data } = asking('oiMomentum', ({ symbol }) => ({ ...answers.oiMomentum, symbol }));
    const rates = [0, 2];
    const [, begun] = [seen(rates, 0), seen(rates, 1)];
    const open = { ...begun[1], answers: [answer(rates, 1, 'ADAUSDT')] };
    const { state } = drive(detector, { minMove: 0 }, [
      [time(0), { answers: [], prices: {} }],
      [begun[0], open],
    ]);
    const given = { options: { maxSymbols }, state: detector.state.parse(state), symbols };
    const observation = await observe(detector, { ...data, ...over }, given);
    return {
      asked: asked.map(({ symbol }) => symbol),
      got: observation.answers.map(({ symbol }) => symbol),
    };
  };
  const withoutMovers = {
    oiMovers: () => Promise.reject(new ApiError('/oi/movers', 'not_offered', 'no such extension')),
  };
  const failing = (reason: ApiErrorReason, from = 0) => {
    let count = 0;
    return async (query?: { symbol?: string | undefined }) => {
      if (count++ >= from) throw new ApiError('/oi/momentum', reason, 'no');
      return { ...answers.oiMomentum, symbol: query?.symbol ?? '' };
    };
  };

  test('are made only for open alerts, wanted markets without a mover, and what is rapid, where movers are known', async () => {
    const { data, count } = answers.oiMovers;
    const [quiet, ...rapid] = data.filter(({ symbol }) => symbol !== 'XRPUSDT');
    const rapidOnes = rapid.map((row) => ({ ...row, signal: 'RAPID_UNWIND' }));
    const oiMovers = async () => ({ data: [...rapidOnes, ...(quiet ? [quiet] : [])], count });
    const { asked, got } = await ask({ oiMovers });
    const fastest = rapidOnes.map(({ symbol }) => symbol).slice(0, 2);
    expect(asked.sort()).toEqual(['ADAUSDT', 'XRPUSDT', ...fastest].sort());
    expect(got).toEqual(['ADAUSDT', 'XRPUSDT', ...fastest, quiet?.symbol]);
  });

  test('for a wanted market that is known to be quiet are not made', async () => {
    const { asked, got } = await ask({}, { symbols: ['BTCUSDT'] });
    expect(asked).toEqual(['ADAUSDT']);
    expect(got).toContain('BTCUSDT');
  });

  test('are made for open alerts first, then for wanted markets, then for the movers, within maxSymbols', async () => {
    const { asked, got } = await ask(withoutMovers);
    expect(got).toEqual(['ADAUSDT', 'XRPUSDT', 'BTCUSDT', 'ETHUSDT']);
    expect(asked.sort()).toEqual([...got].sort());
  });

  test('include no movers without the overview', async () => {
    const marketOverview = () => Promise.reject(new ApiError('/market/overview', 'unreachable', 'no'));
    expect((await ask({ ...withoutMovers, marketOverview })).got).toEqual(['ADAUSDT', 'XRPUSDT']);
  });

  test('that succeeded before the budget ended count', async () => {
    expect((await ask({ ...withoutMovers, oiMomentum: failing('rate_limited', 2) })).got).toEqual([
      'ADAUSDT',
      'XRPUSDT',
    ]);
  });

  test('for an unknown symbol do not affect the others', async () => {
    const oiMomentum: DataClient['oiMomentum'] = async (query) => {
      if (query?.symbol === 'XRPUSDT')
        throw new ApiError('/oi/momentum', 'invalid_request', 'Invalid symbol');
      return { ...answers.oiMomentum, symbol: query?.symbol ?? '' };
    };
    expect((await ask({ ...withoutMovers, oiMomentum })).got).toEqual(['ADAUSDT', 'BTCUSDT', 'ETHUSDT']);
  });

  test('that are refused for all they were made about do not hide the other markets', async () => {
    const refuse = async (query?: { symbol?: string | undefined }) => {
      if (query?.symbol !== 'BTCUSDT')
        throw new ApiError('/oi/momentum', 'invalid_request', 'Invalid symbol');
      return { ...answers.oiMomentum, symbol: query.symbol };
    };
    const symbols = ['BTCUSDT'];
    expect((await ask({ oiMomentum: refuse }, { symbols })).got).toContain('BTCUSDT');
    const next = await ask({ ...withoutMovers, oiMomentum: refuse }, { maxSymbols: 1, symbols });
    expect(next.got).toEqual(['BTCUSDT']);
    const none = ask({ ...withoutMovers, oiMomentum: failing('invalid_request') });
    await expect(none).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  test('fail if not a single one succeeded', async () => {
    await expect(ask({ ...withoutMovers, oiMomentum: failing('not_offered') })).rejects.toMatchObject({
      reason: 'not_offered',
    });
  });
});
