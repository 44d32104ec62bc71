import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { page, type Run, readRuns, withTables } from './runs.ts';

it('docs/measured.md shows what docs/measured.json contains', async () => {
  const shown = withTables(readFileSync(page, 'utf8'), readRuns());
  await expect(shown).toMatchFileSnapshot(page);
});

it('every bench with stored results has its place on the page', () => {
  const text = readFileSync(page, 'utf8');
  expect(Object.keys(readRuns()).filter((name) => !text.includes(`<!-- bench ${name} -->`))).toEqual([]);
});

const run: Run = {
  command: 'npm run bench -- rules',
  date: '2026-11-22',
  commit: 'abc1234',
  machine: { cores: 2, model: 'Some CPU', node: '26.10.0' },
  load: 1,
  took: 12,
  reports: [
    {
      title: 'a | b',
      figures: [
        { name: 'in time', value: 812, unit: 'ms', bound: { most: 1_000 } },
        { name: 'late', value: 1_200, unit: 'ms', bound: { most: 1_000 } },
        { name: 'rate', value: 50, unit: '/s', baseline: { name: 'a bare route', value: 200 } },
      ],
    },
  ],
};

const before = 'Prose.\n\n<!-- bench rules -->\nof another day\n<!-- end -->\n\nMore prose.\n';

it('a table row shows the value, the bound, whether it is missed, and the share of a baseline', () => {
  const written = withTables(before, { rules: run });
  expect(written).toContain(
    '`npm run bench -- rules`, 2026-11-22, abc1234, 2 cores (Some CPU), Node.js 26.10.0, load 1.0, 12 s',
  );
  expect(written).toContain('| a \\| b | measured | bound | of the baseline |');
  expect(written).toContain('| in time | 812 ms | ≤ 1,000 ms |  |');
  expect(written).toContain('| late | 1,200 ms | ≤ 1,000 ms, **missed** |  |');
  expect(written).toContain('| rate | 50 /s |  | 25 % of a bare route |');
});

it('tables replace only the bench’s place on the page, and a bench without a place comes last', () => {
  const written = withTables(before, { rules: run, start: { ...run, reports: [] } });
  expect(written).toMatch(/^Prose\.\n\n<!-- bench rules -->\n\n`npm run/);
  expect(written).not.toContain('of another day');
  expect(written).toMatch(/<!-- end -->\n\nMore prose\.\n\n<!-- bench start -->[\s\S]*<!-- end -->\n$/);
  expect(withTables(written, { rules: run, start: { ...run, reports: [] } })).toBe(written);
});

it('a run that was stored without its machine is shown without it', () => {
  const { machine, load, took, ...old } = run;
  expect(withTables(before, { rules: old })).toContain('`npm run bench -- rules`, 2026-11-22, abc1234\n');
});
