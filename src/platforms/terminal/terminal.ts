import { createInterface } from 'node:readline';
import type { Card } from '../../card/card.ts';
import { plainReader } from '../../language/say.ts';
import type { Caller } from '../../shell/command.ts';
import { managerRights } from '../../shell/rights.ts';
import type { Conversation } from '../platform.ts';
import type { Ports } from '../ports.ts';
import { renderText } from './render.ts';

/**
 * Runs commands that are typed in the terminal of the bot. They are the same commands as on other platforms; the user
 * counts as a manager of the place.
 */
export function startTerminal({
  terminal,
  ask,
  complete,
}: Pick<Ports, 'terminal' | 'ask' | 'complete'>): Conversation {
  if (terminal.input === undefined) return { close: () => {} };
  const caller: Caller = {
    receiver: { notifier: 'terminal', address: {} },
    user: 'terminal',
    person: 'terminal',
    rights: managerRights,
    language: plainReader.language,
    timeZone: terminal.timeZone,
  };
  const lines = createInterface({
    input: terminal.input,
    completer: (line: string, done: (error: null, found: [string[], string]) => void) =>
      void complete(line, caller).then(
        (found) => done(null, [found.map((each) => each.line), line]),
        () => done(null, [[], line]),
      ),
  });
  lines.on('line', async (line) => {
    if (line.trim() === '') return;
    const { columns, color } = terminal;
    const print = (card: Card<string>) => terminal.write(`\n${renderText(card, { columns, color })}\n`);
    const { later, ...card } = await ask(line, caller);
    await print(card);
    // The next line does not wait for the complete answer.
    void later?.then((whole) => whole && print(whole));
  });
  return { close: () => lines.close() };
}
