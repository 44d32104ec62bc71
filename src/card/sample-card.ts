import { type Change, revise } from '../alert/alert.ts';
import { lines, msg } from '../language/text.ts';
import { alertCard } from './alert-card.ts';
import type { Card } from './card.ts';

/** Returns the card of a sample alert, marked as a test, also in its title, which may be all that is seen, and without buttons. */
export function sampleCard(sample: Change, now: number): Card | undefined {
  const alert = revise(undefined, sample, now);
  if (alert === null) return undefined;
  const { actions: _, summary, ...card } = alertCard([alert]);
  return {
    ...card,
    title: msg('TEST: {title}', { title: card.title }),
    summary: lines(msg('This is simulated sample data: nothing has happened.'), summary),
    source: msg('simulated sample data'),
  };
}
