import { escalated } from '#src/alert/alert.ts';
import { episodes, storms } from './storm.ts';
import type { Verdict } from './verdict.ts';

/** A number of steps that no run reaches. */
const beyond = 2_000;

/**
 * Returns what a notifier that cannot edit should have sent and did not: every revision that people are called for, and
 * the ends of ungrouped alerts. Other changes are left out by such notifiers, as is the end of one alert of a group
 * that goes on.
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
