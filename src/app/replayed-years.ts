import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Expectation } from '../alert/outcome.ts';
import { type KindScore, withFindings, type YearsOf } from '../record/records.ts';
import { yearsHash } from '../record/years-hash.ts';

/** The alerts, each with its kind, prediction and time (market ms), and what followed those of each kind. */
export interface RecordedYears {
  readonly alerts: readonly (readonly [kind: string, prediction: Expectation, at: number])[];
  readonly scores: readonly KindScore[];
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Reads what the recorded years showed of each kind. There is no key to sign releases with; the hash in the code says that the
 * file is the one that the code was released with.
 */
export function readYears(path = join(import.meta.dirname, '../record/years.json')): YearsOf {
  const text = readFileSync(path, 'utf8');
  if (hashOf(text) !== yearsHash) throw new Error(`${path} is not the file that this release was made with`);
  const { scores }: RecordedYears = JSON.parse(text);
  const found = withFindings(scores);
  return (kind, horizon) => found.find((each) => each.kind === kind && each.horizon === horizon);
}
