import { escalated } from '#src/alert/alert.ts';
import { episodes, storms } from './storm.ts';
import type { Verdict } from './verdict.ts';

/** Steps that no run reaches. */
const beyond = 2_000;

/**
 * Of what never came to a notifier that cannot edit: all that people are called for, and the ends of what stands alone. What
 * changes between them is left out there, and so is the end of one of a group that goes on, with what it was before.
 */
export function missed({ lost }: Verdict): string[] {
  const revisions = new Map(storms.flatMap(({ name }) => [...episodes(name, beyond)]));
  return lost.filter((line) => {
    const [, name = '', wanted, seen] = /: (\w+ \w+ \d+) rev (\d+), saw (\d+)$/.exec(line) ?? [];
    const unseen = revisions.get(name)?.slice(Number(seen), Number(wanted)) ?? [];
    const over = unseen.at(-1)?.status === 'resolved';
    const grouped = name.startsWith('surge');
    return unseen.some((alert) => alert.revision === 1 || (over ? !grouped : escalated(alert)));
  });
}
