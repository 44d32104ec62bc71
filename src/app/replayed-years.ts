import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { withFindings, type YearsOf } from '../record/records.ts';
import { yearsHash } from '../record/years-hash.ts';

const share = z.number().min(0).max(1);
const score = z.object({
  kind: z.string(),
  horizon: z.int().positive(),
  sense: z.enum(['way', 'size']),
  n: z.int().min(0),
  days: z.int().min(0),
  estimated: z.int().min(0),
  found: z
    .object({
      move: z.object({ median: z.number(), usual: z.number() }),
      hits: z.object({ share, usual: z.number() }),
      excess: z.object({
        usual: z.number(),
        mean: z.number(),
        error: z.number().min(0),
        freedom: z.number().positive(),
      }),
    })
    .exactOptional(),
});
/** The alerts, each with its kind, claim and time (market ms), and what followed those of each kind. */
export const recordedYearsFile = z.object({
  alerts: z.array(z.tuple([z.string(), z.enum(['up', 'down', 'move']), z.int()])),
  scores: z.array(score),
});

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Reads what the recorded years showed of each kind. There is no key to sign releases with; the hash in the code says that the
 * file is the one that the code was released with.
 */
export function readYears(path = join(import.meta.dirname, '../record/years.json')): YearsOf {
  const text = readFileSync(path, 'utf8');
  if (hashOf(text) !== yearsHash) throw new Error(`${path} is not the file that this release was made with`);
  const { scores } = recordedYearsFile.parse(JSON.parse(text));
  const found = withFindings(scores);
  return (kind, horizon) => found[scores.findIndex((each) => each.kind === kind && each.horizon === horizon)];
}
