import { hour } from '../../runtime/units.ts';
import type { AuditedValue, AuditRow } from '../archive/archive.ts';

/** A value whose checks failed for the most part. */
export interface Drift {
  readonly value: AuditedValue;
  readonly venue: string;
  /** Of how many checks how many were beyond tolerance, or late. */
  readonly checks: number;
  readonly beyond: number;
  /** The largest difference. */
  readonly worst: { readonly symbol: string; readonly difference: number };
}

/** What is older says nothing about the present. */
export const evidence = 6 * hour;
/** Of so many rounds that were answered the checks count: of one alone, a moment of the market might be the cause. */
const rounds = 2;

/** @param rows of the last `evidence` ms, ascending */
export function driftsIn(rows: readonly AuditRow[]): Drift[] {
  const answered = rows.filter(({ role, verdict }) => role === 'PRIMARY' && verdict !== 'MISSED');
  return [...Map.groupBy(answered, ({ value }) => value)].flatMap(([value, all]) => {
    const venue = all.at(-1)?.venue ?? '';
    const asked = all.filter((row) => row.venue === venue);
    const times = [...new Set(asked.map(({ time }) => time))].slice(-rounds);
    const checks = asked.filter(({ time }) => times.includes(time));
    const beyond = checks.filter(({ verdict }) => verdict !== 'WITHIN');
    if (times.length < rounds || 2 * beyond.length <= checks.length) return [];
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
