import { expect, it } from 'vitest';
import { iso, minute } from '#src/runtime/units.ts';
import { completeSince } from '#src/service/handlers/market.ts';

const start = Date.UTC(2026, 0, 1);
const at = (step: number) => iso(start + step * 15 * minute);
const since = (...steps: number[]) =>
  completeSince(
    steps.map((step) => ({ timestamp: at(step) })),
    start,
    25 * minute,
  );

it.each<[string, number[], string | undefined]>([
  ['a whole window says nothing', [0, 1, 2, 3], undefined],
  ['a window whose beginning is missing', [8, 9, 10], at(8)],
  ['the end of the last of two holes', [0, 1, 5, 6, 9, 10], at(9)],
  ['a row that is a little late leaves no hole', [0, 1.4, 3], undefined],
  ['no row at all', [], undefined],
])('%s', (_, steps, expected) => expect(since(...steps)).toBe(expected));
