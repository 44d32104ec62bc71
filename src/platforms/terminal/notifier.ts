import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { defineNotifier } from '../notifier.ts';
import { renderText } from './render.ts';

export interface ConsolePorts {
  readonly terminal: {
    /** Width and colour at this moment: a terminal may be resized. */
    readonly columns: number;
    readonly color: boolean;
    /** Resolves when the text is on its way; rejects where there is no terminal any more. */
    write(text: string): Promise<void>;
  };
}

/** Short enough to be read beside a card, long enough to tell a day's posts apart. */
const shortReference = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 6);

/** Prints to the terminal. What is printed stays: an update is printed anew and names the first. */
export default defineNotifier({
  name: 'terminal',
  options: z.strictObject({}),
  address: z.strictObject({}),
  limits: { total: { per: 1_000, max: 20 }, concurrency: 1 },
  connect(_options, { terminal }: ConsolePorts) {
    return {
      async send({ id, card, replyTo }, _address, signal) {
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
  },
});
