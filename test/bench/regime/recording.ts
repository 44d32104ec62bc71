import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ClosedBar } from '#src/service/analytics/regime-features.ts';
import type { State } from './score.ts';

/** Beside the checkout, and not in it: absent on most machines. */
const folder = fileURLToPath(new URL('../../../../shared/market-data/', import.meta.url));

export const recordingPresent = existsSync(`${folder}btcusdt_1h_2020-10_2022-12.csv`);

const rows = (file: string): string[][] =>
  readFileSync(folder + file, 'utf8')
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(','));

export const recordedJson = (file: string): unknown => JSON.parse(readFileSync(folder + file, 'utf8'));

export const recordedBars = (): ClosedBar[] =>
  rows('btcusdt_1h_2020-10_2022-12.csv').map(([time = '', , , , close]) => ({
    time: Date.parse(time),
    close: Number(close),
  }));

/** By open time. */
export const hindsight = (): Map<number, State> =>
  new Map(
    rows('btcusdt_regime_hindsight_2020-10_2022-12.csv').map(([time = '', state]) => [
      Date.parse(time),
      state as State,
    ]),
  );
