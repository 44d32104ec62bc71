import { hour } from '../../runtime/units.ts';
import type { CheckedValue, DataCheck } from '../archive/archive.ts';

/** A value that failed most of its last checks. */
export interface Drift {
  readonly value: CheckedValue;
  readonly venue: string;
  /** The number of checks, and how many of them were beyond tolerance or late. */
  readonly checks: number;
  readonly beyond: number;
  /** The largest difference. */
  readonly worst: { readonly symbol: string; readonly difference: number };
}

/** How far back checks count, ms: older ones say nothing about the present. */
export const evidenceWindow = 6 * hour;
/** How many of the last answered rounds count. In a single round, a moment of the market might cause the differences. */
const minRounds = 2;

/** Finds the values that drift. @param rows Checks of the last `evidenceWindow` ms, ascending. */
export function findDrifts(rows: readonly DataCheck[]): Drift[] {
  const answered = rows.filter(({ role, verdict }) => role === 'PRIMARY' && verdict !== 'MISSED');
  return [...Map.groupBy(answered, ({ value }) => value)].flatMap(([value, all]) => {
    const venue = all.at(-1)?.venue ?? '';
    const venueRows = all.filter((row) => row.venue === venue);
    const times = [...new Set(venueRows.map(({ time }) => time))].slice(-minRounds);
    const checks = venueRows.filter(({ time }) => times.includes(time));
    const beyond = checks.filter(({ verdict }) => verdict !== 'WITHIN');
    const newest = beyond.filter(({ time }) => time === times.at(-1));
    const isMost = (failed: readonly DataCheck[], of: readonly DataCheck[]) => 2 * failed.length > of.length;
    const isOver = !isMost(
      newest,
      checks.filter(({ time }) => time === times.at(-1)),
    );
    if (times.length < minRounds || !isMost(beyond, checks) || isOver) return [];
    const [worst] = beyond.toSorted((a, b) => Math.abs(b.difference ?? 0) - Math.abs(a.difference ?? 0));
    const { symbol = '', difference = 0 } = worst ?? {};
    return [
      {
        value,
        venue,
        checks: checks.length,
        beyond: beyond.length,
        worst: { symbol, difference: difference ?? 0 },
      },
    ];
  });
}
