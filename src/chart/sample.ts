import type { Chart } from '../alert/alert.ts';
import { hour } from '../runtime/units.ts';

const begin = Date.UTC(2025, 0, 1);
const wave = Array.from({ length: 96 }, (_, n) => [begin + n * hour, Math.sin(n / 8)] as const);

/** A chart with everything that a chart can have, of no market. It serves to warm up the thread. */
export const sample: Chart<string> = {
  title: 'A sample',
  unit: 'USDT',
  series: [
    { name: 'A line', points: wave },
    { name: 'Another', points: wave.map(([at, value]) => [at, 2 * value]) },
  ],
  marks: [{ name: 'A mark', value: 1 }],
  bands: [{ name: 'A band', tone: 'good', from: begin, to: begin + 24 * hour }],
  moments: [{ name: 'A moment', tone: 'bad', at: begin + 48 * hour }],
  below: { unit: '%', series: [{ name: 'Bars', shape: 'bars', tone: 'neutral', points: wave }] },
};
