import type { Chart, Tone } from '#src/alert/alert.ts';
import { day, hour, minute } from '#src/runtime/units.ts';

/** Charts like those of the commands and detectors, over a made-up market that is always the same. */

export const end = Date.UTC(2025, 10, 21, 14, 5);

/** Returns a Mulberry32 generator. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Points = readonly (readonly [number, number])[];

export function walk(count: number, step: number, { from = 60_000, size = 0.006, seed = 7 } = {}): Points {
  const random = randomFrom(seed);
  let value = from;
  return Array.from({ length: count }, (_, index) => {
    value *= 1 + (random() + random() + random() - 1.5) * size;
    return [end - (count - 1 - index) * step, value] as const;
  });
}

export const noise = (count: number, step: number, scale: number, middle = 0, seed = 3): Points => {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => [
    end - (count - 1 - index) * step,
    middle + (random() + random() + random() - 1.5) * scale,
  ]);
};

const regimes: readonly (readonly [string, Tone, number])[] = [
  ['Risk on', 'good', 2.1],
  ['Transition', 'caution', 0.6],
  ['Risk off', 'bad', 1.7],
  ['Transition', 'caution', 0.4],
  ['Risk on', 'good', 2.2],
];

const bands = regimes.map(([name, tone, length], index) => {
  const before = regimes.slice(0, index).reduce((sum, [, , days]) => sum + days, 0);
  return { name, tone, from: end - (7 - before) * day, to: end - (7 - before - length) * day };
});

const burst = (seed: number) =>
  noise(60, minute, 400_000, 0, seed).map(
    ([at, value], index) => [at, Math.max(0, value) * (index > 40 && index < 52 ? 6 : 0.4)] as const,
  );

export const charts: Readonly<Record<string, Chart>> = {
  price: { title: 'Price over 24 h', unit: 'USDT', series: [{ name: 'BTCUSDT', points: walk(25, hour) }] },
  regime: {
    title: 'Regime over 7 d',
    unit: 'USDT',
    series: [{ name: 'BTCUSDT', points: walk(169, hour) }],
    bands,
  },
  funding: {
    title: 'Last 30 settlements',
    unit: '%',
    series: [{ name: 'BTCUSDT', points: noise(30, 8 * hour, 0.03, 0.012), shape: 'bars' }],
    marks: [{ name: 'EXTREME', value: 0.06, tone: 'bad' }],
  },
  'open interest': {
    title: 'Open interest over 24 h',
    unit: 'contracts',
    series: [{ name: 'BTCUSDT', points: walk(288, 5 * minute, { from: 98_100, size: 0.002 }) }],
    below: {
      unit: '% in 5 min',
      series: [{ name: 'rate', points: noise(288, 5 * minute, 0.9), shape: 'bars' }],
      marks: [{ name: 'rapid', value: 1, tone: 'caution' }],
    },
  },
  liquidations: {
    title: 'Liquidated per minute',
    unit: 'USD',
    series: [
      { name: 'longs', points: burst(1), shape: 'bars', tone: 'bad' },
      { name: 'shorts', points: burst(2).map(([at, value]) => [at, -value]), shape: 'bars', tone: 'good' },
    ],
    below: { unit: 'USDT', series: [{ name: 'BTCUSDT', points: walk(60, minute, { size: 0.002 }) }] },
  },
  compare: {
    title: 'Change over 30 d',
    unit: '%',
    series: [
      'BTCUSDT',
      'ETHUSDT',
      'SOLUSDT',
      'XRPUSDT',
      'DOGEUSDT',
      'BNBUSDT',
      '1000PEPEUSDT',
      'LINKUSDT',
    ].map((name, seed) => ({
      name,
      points: walk(181, 4 * hour, { from: 100, size: 0.03, seed }).map(
        ([at, value]) => [at, value - 100] as const,
      ),
    })),
  },
  preview: {
    title: 'Where it would have fired',
    unit: 'USDT',
    series: [{ name: 'ETHUSDT', points: walk(720, hour, { from: 2900, seed: 5 }) }],
    moments: [90, 180, 200, 460, 640].map((index) => ({
      name: 'funding above 0.05%',
      at: end - (720 - index) * hour,
      tone: 'bad' as const,
    })),
  },
  'a thousand points': {
    title: 'Five thousand points',
    unit: 'USDT',
    series: [1, 2, 3].map((seed) => ({
      name: `noise ${seed}`,
      points: noise(5_000, minute, 100, 1000, seed),
    })),
    below: { unit: '%', series: [{ name: 'more noise', points: noise(5_000, minute, 2, 0, 9) }] },
  },
  'one point': { title: 'Price', unit: 'USDT', series: [{ name: 'NEWUSDT', points: [[end, 0.01234]] }] },
  'no points': { title: 'Price', unit: 'USDT', series: [{ name: 'NEWUSDT', points: [] }] },
  gaps: {
    title: 'With gaps',
    unit: '',
    series: [
      {
        name: 'score',
        points: walk(100, hour, { from: 50 }).map(([at, value], index) => [
          at,
          index % 30 < 8 && index % 30 !== 4 ? Number.NaN : value,
        ]),
      },
    ],
    marks: [{ name: 'nowhere', value: Number.NaN }],
  },
  huge: { title: 'Huge', unit: '', series: [{ name: 'x', points: walk(50, hour, { from: 4.2e21 }) }] },
  small: {
    title: 'Small',
    unit: 'USDT',
    series: [{ name: '1000SATSUSDT', points: walk(50, hour, { from: 0.00002131 }) }],
  },
  hostile: {
    title: '</text><script>alert(1)</script> {a|b} &amp; ]]> \u0000\ud800\uffff \u202eBTC',
    unit: '<tspan fill="red">%',
    series: [
      { name: '"><image href="file:///etc/passwd"/>', points: walk(20, hour) },
      { name: '漢字 👨‍👩‍👧 é ñ Привет €', points: walk(20, hour, { seed: 2 }) },
    ],
    marks: [{ name: '{b}{c}<br>', value: 60_500 }],
  },
};
