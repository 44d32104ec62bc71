import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { recordedYearsFile } from '#src/app/replayed-years.ts';
import { replayAlerts, rounded, scoresOf } from '#test/bench/recorded-years.ts';
import { describeWith } from '#test/support/needs.ts';

const root = resolve(import.meta.dirname, '../..');
const file = recordedYearsFile.parse(JSON.parse(readFileSync(join(root, 'src/record/years.json'), 'utf8')));

it('the shipped record of the recorded years is what their closes show after its alerts', () => {
  expect(JSON.parse(JSON.stringify(scoresOf(file.alerts), rounded))).toEqual(file.scores);
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
