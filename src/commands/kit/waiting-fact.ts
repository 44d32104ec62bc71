import type { Fact } from '../../alert/alert.ts';
import { time } from '../../language/format.ts';
import { msg } from '../../language/text.ts';
import type { Waiting } from '../../store/ports.ts';

/** Writes a fact about an alert that waits to be sent here. */
export const waitingFact = ({ title, due, reason }: Waiting): Fact => ({
  name: msg('Waiting until {due}', { due: time(due) }),
  value: reason === null ? title : msg('{title} ({reason})', { title, reason: reason.text }),
});
