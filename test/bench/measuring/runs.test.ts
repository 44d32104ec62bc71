import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { page, type Run, readRuns, withTables } from './runs.ts';

it('docs/measured.md shows what docs/measured.json holds: `npm run bench` writes both', () => {
  const text = readFileSync(page, 'utf8');
  expect(withTables(text, readRuns())).toBe(text);
});

const run: Run = {
  command: 'npm run bench -- rules',
  date: '2026-11-22',
  commit: 'abc1234',
  machine: { cores: 2, model: 'Some CPU', node: '26.10.0' },
  load: 1,
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

it('a figure stands beside its bound, says where it misses it, and its share of a baseline', () => {
  const written = withTables(readFileSync(page, 'utf8'), { rules: run });
  expect(written).toContain('**rules** (`npm run bench -- rules`; 2026-11-22, abc1234, 2 cores (Some CPU)');
  expect(written).toContain('| a \\| b | measured | bound | of the baseline |');
  expect(written).toContain('| in time | 812 ms | ≤ 1,000 ms |  |');
  expect(written).toContain('| late | 1,200 ms | ≤ 1,000 ms, **missed** |  |');
  expect(written).toContain('| rate | 50 /s |  | 25 % of a bare route |');
});

it('a page without the place for them is refused', () => {
  expect(() => withTables('# Measured\n', {})).toThrow(/lacks/);
});
