import type { Outcome } from '../../kill/kill.ts';
import type { Figure } from '../measuring/figures.ts';
import { load } from '../measuring/program.ts';

/** Returns the figures of a run with kills: the kills, and by notifier what arrived. */
export function figuresOf({ kills, during, polls, verdicts }: Outcome): readonly Figure[] {
  const { starting, polling, sending } = during;
  const count = (name: string, value: number): Figure => ({ name, value, unit: '' });
  const none = (name: string, value: number): Figure => ({ ...count(name, value), bound: { most: 0 } });
  return [
    count('kills', kills),
    count('of these while it started', starting),
    count('of these while it polled', polling),
    count('of these while it sent', sending),
    count('polls', polls),
    ...Object.entries(verdicts).flatMap(([notifier, verdict]) => [
      count(`${notifier}: arrivals`, verdict.notifications),
      none(`${notifier}: lost`, verdict.lost.length),
      (notifier === 'discord' ? none : count)(
        `${notifier}: twice, in flight at a kill`,
        verdict.doubled - verdict.doubledTooOften.length,
      ),
      none(`${notifier}: twice otherwise`, verdict.doubledTooOften.length),
      none(`${notifier}: twice and not logged`, verdict.unlogged.length),
      none(`${notifier}: out of order, unasked for, other than it was`, verdict.wrong.length),
      none(`${notifier}: state forgotten, baseline taken anew`, verdict.forgotten.length),
    ]),
    load(),
  ];
}
