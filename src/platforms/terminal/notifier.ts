import { createHash } from 'node:crypto';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { Connection } from '../notifier.ts';
import type { Terminal } from '../ports.ts';
import { renderText } from './render.ts';

/** Short enough to be read beside a card, long enough to tell a day's posts apart. */
const shortReference = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 6);

/** Prints to the terminal. What is printed stays: an update is printed anew and names the first. */
export function createNotifier(terminal: Pick<Terminal, 'columns' | 'color' | 'write'>): Connection {
  return {
    async send({ id, card, replyTo }, { signal }) {
      const reference = shortReference(id);
      const { columns, color } = terminal;
      const head = replyTo === undefined ? `#${reference}` : `#${reference} updates #${replyTo}`;
      try {
        signal.throwIfAborted();
        await terminal.write(`\n${head}\n${renderText(card, { columns, color })}\n`);
      } catch (cause) {
        throw new DeliveryError(
          { kind: 'unavailable', accepted: 'no' },
          msg('the terminal does not take text; retrying'),
          { cause },
        );
      }
      return reference;
    },
  };
}
