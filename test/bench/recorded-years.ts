import { join, resolve } from 'node:path';
import type { Detector } from '#src/detectors/detector.ts';
import { replay } from '#src/preview/replay.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { openRecordedPast } from '#src/service/recorded-past.ts';
import { report } from './measuring/figures.ts';

/** Takes minutes, and needs recordings. */
export const slow = true;

const root = resolve(import.meta.dirname, '../..');

/** The kinds whose data is recorded for all the years. They see the same settlements and hours in one look an hour. */
const kinds = [
  'funding-extreme',
  'funding-flip',
  'regime-transition',
  'volatility-regime',
  'price-level',
  'price-move',
  'fear-greed',
];
const hourly = '20 0 * * * *';

/**
 * `npm run bench -- recorded-years -- [FOLDER]`: how many alerts of each kind the recorded years have, from the first settlement
 * to the last.
 */
export default async function recordedYears([folder]: readonly string[]): Promise<void> {
  const detectors = await loadPlugins<Detector>(join(root, 'src/detectors'), 'detector.ts');
  const past = await openRecordedPast({ dir: resolve(folder ?? join(root, '../shared/market-data')) });
  try {
    const alerts = new Map<string, number>();
    const { from, to } = { from: past.earliest, to: past.latest };
    await replay({
      detectors: detectors
        .filter(({ name }) => kinds.includes(name))
        .map((detector) => ({ detector, options: detector.options.parse({}), schedule: hourly })),
      at: past.at,
      ...{ from, to, symbols: past.symbols },
      onAlert({ revision, labels: { kind, symbol } }) {
        const name = symbol === undefined ? kind : `${kind}, ${symbol.replace(/USDT$/, '')}`;
        if (revision === 1) alerts.set(name, (alerts.get(name) ?? 0) + 1);
      },
    });
    const [first, last] = [from, to].map((time) => new Date(time).toISOString().slice(0, 7));
    report(
      `alerts of ${first} to ${last}, one look an hour`,
      [...alerts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => ({ name, value, unit: '' })),
    );
  } finally {
    await past.close();
  }
}
