import { createHash } from 'node:crypto';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { Connection } from '../notifier.ts';
import type { Terminal } from '../ports.ts';
import { renderText } from './render.ts';

/** Returns a reference that is short enough to read beside a card and long enough to distinguish the posts of a day. */
const shortReference = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 6);

/** Prints posts to the terminal. Printed text cannot be edited, so an update is printed again and names the first post. */
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
