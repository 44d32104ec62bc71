import { createInterface } from 'node:readline';
import type { Card } from '../../card/card.ts';
import { plainReader } from '../../language/say.ts';
import type { Caller } from '../../shell/command.ts';
import { operatorRights } from '../../shell/rights.ts';
import type { Conversation } from '../platform.ts';
import type { Ports } from '../ports.ts';
import { renderText } from './render.ts';

/**
 * Runs commands that are typed in the terminal of the bot. They are the same commands as on other platforms; the user
 * counts as the operator.
 */
export function startTerminal({ terminal, ask, log }: Pick<Ports, 'terminal' | 'ask' | 'log'>): Conversation {
  if (terminal.input === undefined) return { close: () => {} };
  const caller: Caller = {
    receiver: { notifier: 'terminal', address: {} },
    user: 'terminal',
    person: 'terminal',
    rights: operatorRights,
    language: plainReader.language,
    timeZone: terminal.timeZone,
  };
  const lines = createInterface({ input: terminal.input });
  const print = (card: Card<string>) => {
    const { columns, color } = terminal;
    return terminal.write(`\n${renderText(card, { columns, color })}\n`);
  };
  const answer = async (line: string) => {
    const { later, ...card } = await ask(line, caller);
    await print(card);
    const whole = await later;
    if (whole !== undefined) await print(whole);
  };
  // A line does not wait for the answers to those before it.
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    // A terminal that is gone takes no answer; the bot runs on without it.
    answer(line).catch((error: unknown) => log.warn({ err: error }, 'could not answer in the terminal'));
  });
  return { close: () => lines.close() };
}
