import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordedYears } from '#src/app/replayed-years.ts';
import { withFindings } from '#src/record/records.ts';
import { replayAlerts, rounded, scoresOf } from '#test/bench/record/years.ts';
import { detectors } from '#test/support/detectors.ts';
import { describeWith } from '#test/support/needs.ts';

const root = resolve(import.meta.dirname, '../..');
const file: RecordedYears = JSON.parse(readFileSync(join(root, 'src/record/years.json'), 'utf8'));

it('the shipped record of the recorded years is what their closes show after its alerts', () => {
  expect(JSON.parse(JSON.stringify(scoresOf(file.alerts), rounded))).toEqual(file.scores);
});

describe('a kind', () => {
  const scores = withFindings(file.scores).map((each, at) => ({ ...each, kind: file.scores[at]?.kind }));

  it('claims no direction that the recorded years deny', () => {
    const denied = scores.filter(({ sense, finding }) => sense === 'way' && finding?.verdict === 'less');
    expect(denied.map(({ kind }) => kind)).toEqual([]);
  });

  it('of the standard preset has a record, claims nothing about the price, or reports what was liquidated', async () => {
    const without = detectors.filter(
      ({ name, preset, prediction }) =>
        preset !== 'everything' &&
        prediction !== null &&
        !scores.some(({ kind, found }) => kind === name && found !== undefined),
    );
    expect(without.map(({ name }) => name)).toEqual(['liquidation-burst', 'liquidation-cascade']);
  });
});

describeWith('../shared/market-data', 'the recordings', () => {
  it('bring the alerts of the shipped record again', { timeout: 300_000 }, async () => {
    // The first 14 months: what a detector remembers depends on all that came before.
    const to = Date.UTC(2021, 2, 1);
    const again = await replayAlerts(join(root, '../shared/market-data'), { to });
    expect(again.length).toBeGreaterThan(50);
    expect(again).toEqual(file.alerts.filter(([, , at]) => at <= to));
  });
});
