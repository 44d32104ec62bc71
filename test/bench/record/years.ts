import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Labels } from '#src/alert/alert.ts';
import { type HourlyPrice, horizons, type Outcome, priceSymbolOf } from '#src/alert/outcome.ts';
import { hashOf, type RecordedYears } from '#src/app/replayed-years.ts';

import { type Detector, predictionOf } from '#src/detectors/detector.ts';
import { replay } from '#src/preview/replay.ts';
import { hoursOf } from '#src/record/hours.ts';
import { priceBetween } from '#src/record/price-between.ts';
import { withFindings } from '#src/record/records.ts';
import { judge, score } from '#src/record/score.ts';
import { usualMoves } from '#src/record/usual.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { formatDuration, hour } from '#src/runtime/units.ts';
import { openRecordedPast } from '#src/service/past/recorded-past.ts';
import { recordedBars } from '#test/support/recorded-market.ts';
import { report } from '../measuring/figures.ts';

const root = resolve(import.meta.dirname, '../../..');
export const recordings = join(root, '../shared/market-data');

/** The kinds whose data is recorded for all the years. They see the same settlements and hours in one look an hour. */
const kinds = [
  'funding-extreme',
  'funding-flip',
  'regime-transition',
  'volatility-regime',
  'price-level',
  'price-move',
];
const hourly = '20 0 * * * *';

/**
 * `npm run bench -- record -- years [--write] [FOLDER]`: how many alerts of each kind the recorded years have, and what
 * followed them. `--write` stores the latter as the record that the release ships.
 */
export default async function recordedYears(args: readonly string[]): Promise<void> {
  const folder = args.find((each) => !each.startsWith('--'));
  const { counts, text } = await replayYears(folder === undefined ? recordings : resolve(folder));
  report(
    'alerts of the recorded years, one look an hour',
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => ({ name, value, unit: '' })),
  );
  const { scores }: RecordedYears = JSON.parse(text);
  for (const [index, { n, found, finding }] of withFindings(scores).entries()) {
    const { kind, horizon } = scores[index] ?? { kind: '', horizon: 0 };
    const hits =
      found &&
      `hits ${(100 * found.hits.share).toFixed(1)} % (usual ${(100 * found.hits.usual).toFixed(1)} %)`;
    process.stdout.write(
      `${kind}, ${formatDuration(horizon)}: ${n} ${hits ?? ''} ${finding?.verdict ?? 'too few'}\n`,
    );
  }
  if (!args.includes('--write')) return;
  await writeFile(join(root, 'src/record/years.json'), text);
  await writeFile(
    join(root, 'src/record/years-hash.ts'),
    `/** SHA-256 of years.json. \`npm run bench -- record -- years --write\` writes both. */\nexport const yearsHash = '${hashOf(text)}';\n`,
  );
}

/** Replays the recordings and judges each alert by bitcoin's hourly closes. Other symbols' prices were not recorded. */
async function replayYears(dir: string) {
  const counts = new Map<string, number>();
  const alerts = await replayAlerts(dir, {
    onAlert({ kind, symbol }) {
      const name = symbol === undefined ? kind : `${kind}, ${symbol.replace(/USDT$/, '')}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
  });
  return { counts, text: `${JSON.stringify({ alerts, scores: scoresOf(alerts) }, rounded)}\n` };
}

type YearAlert = RecordedYears['alerts'][number];

/** Returns the alerts of the recordings that predict something about bitcoin's price. */
export async function replayAlerts(
  dir: string,
  {
    to,
    onAlert,
  }: {
    readonly to?: number;
    readonly onAlert?: (labels: Labels) => void;
  } = {},
): Promise<YearAlert[]> {
  const detectors = (await loadPlugins<Detector>(join(root, 'src/detectors'), 'detector.ts')).filter(
    ({ name }) => kinds.includes(name),
  );
  const predictions = new Map(detectors.map((detector) => [detector.name, predictionOf(detector)]));
  const alerts: YearAlert[] = [];
  const past = await openRecordedPast({ dir });
  try {
    await replay({
      detectors: detectors.map((detector) => ({
        detector,
        options: detector.options.parse({}),
        schedule: hourly,
      })),
      at: past.at,
      from: past.earliest,
      to: to ?? past.latest,
      symbols: past.symbols,
      onAlert({ revision, labels, startsAt }) {
        if (revision !== 1) return;
        onAlert?.(labels);
        const prediction = predictions.get(labels.kind)?.(labels) ?? null;
        if (prediction !== null && priceSymbolOf(labels) === 'BTCUSDT')
          alerts.push([labels.kind, prediction, startsAt]);
      },
    });
  } finally {
    await past.close();
  }
  return alerts;
}

/** Returns what the recorded closes did after the alerts. */
export function scoresOf(alerts: readonly YearAlert[]) {
  const prices = recordedBars().map(({ time, close }): HourlyPrice => ({ at: time + hour, price: close }));
  const priceAt = (at: number) => {
    const near = prices.findIndex((each) => each.at > at - hour);
    return priceBetween(prices.slice(Math.max(0, near), near + 3), at) ?? null;
  };
  const outcomes = alerts.map(
    ([kind, prediction, firedAt]): Outcome => ({
      ...{ kind, prediction, firedAt, symbol: 'BTCUSDT', estimated: true },
      price: priceAt(firedAt),
      after: horizons.map((horizon) => priceAt(firedAt + horizon)),
    }),
  );
  const hours = hoursOf(prices);
  const features = hours.features();
  const judged = horizons.map((horizon) => judge(outcomes, horizon, usualMoves(hours, features, horizon)));
  return kinds.flatMap((kind) =>
    horizons.map((horizon, turn) => {
      const own = (judged[turn] ?? []).filter((each) => each.kind === kind);
      return { kind, horizon, ...score(own, horizon) };
    }),
  );
}

/** Nine digits: the last ones differ between machines. */
export const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value;
