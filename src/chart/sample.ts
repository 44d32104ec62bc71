import type { Chart } from '../alert/alert.ts';
import { hour } from '../runtime/units.ts';

const begin = Date.UTC(2025, 0, 1);
const count = 96;
const wave = (period: number, { size, middle = 0 }: { readonly size: number; readonly middle?: number }) =>
  Array.from({ length: count }, (_, n) => [begin + n * hour, middle + size * Math.sin(n / period)] as const);
const closes = wave(8, { size: 900, middle: 60_000 }).map(
  ([at, value], n) => [at, value + 260 * Math.sin(2.4 * n)] as const,
);

/** A chart with everything that a chart can have, of no market. It serves to warm up the thread, and to look at. */
export const sample: Chart<string> = {
  title: 'A sample',
  unit: 'USDT',
  series: [
    {
      name: 'Candles',
      points: closes,
      candles: closes.map(([, close], n) => {
        const open = closes[n - 1]?.[1] ?? close;
        const volume = 40 + 30 * Math.cos(n / 3);
        return [open, Math.max(open, close) + 90, Math.min(open, close) - 70, volume];
      }),
    },
    { name: 'A line', points: wave(8, { size: 800, middle: 60_000 }) },
  ],
  marks: [
    { name: 'A level', value: 60_700 },
    { name: 'One beside it', value: 60_760, tone: 'neutral' },
    { name: 'A zone', value: 58_700, to: 58_900, tone: 'bad' },
  ],
  bands: [{ name: 'A band', tone: 'good', from: begin, to: begin + 24 * hour }],
  moments: [{ name: 'A moment', tone: 'bad', at: begin + 48 * hour }],
  below: {
    unit: 'contracts',
    series: [{ name: 'Below', points: wave(12, { size: 2_000, middle: 98_000 }) }],
  },
  lanes: [
    {
      name: 'Steps',
      unit: '%',
      series: [
        { name: 'Steps', shape: 'steps', points: wave(8, { size: 0.02 }).filter((_, n) => n % 8 === 0) },
      ],
      marks: [{ name: 'A high level', value: 0.019 }],
    },
    {
      name: 'Bars',
      unit: 'USD',
      series: [
        {
          name: 'up',
          shape: 'bars',
          tone: 'good',
          points: wave(5, { size: 2e6 }).filter(([, value]) => value > 0),
        },
        {
          name: 'down',
          shape: 'bars',
          tone: 'bad',
          points: wave(5, { size: 2e6 }).filter(([, value]) => value < 0),
        },
      ],
    },
    {
      name: 'A lane',
      unit: 'contracts',
      series: [{ name: 'A lane', tone: 'neutral', points: wave(20, { size: 900 }) }],
    },
  ],
};
