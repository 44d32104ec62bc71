import { createInterface } from 'node:readline';
import type { Answer, Card } from '../../card/card.ts';
import type { Caller } from '../../shell/command.ts';
import { renderText } from './render.ts';

/** The terminal the bot runs in. */
export interface Terminal {
  readonly columns: number;
  readonly color: boolean;
  /** IANA name. */
  readonly timeZone: string;
  write(text: string): Promise<void>;
  /** Where commands are typed; absent where nobody can (a service, a pipe). */
  readonly input?: NodeJS.ReadableStream;
}

export interface TerminalOptions {
  readonly terminal: Terminal;
  readonly receiver: Caller['receiver'];
  ask(line: string, caller: Caller): Promise<Answer<string>>;
  complete(line: string, caller: Caller): Promise<readonly { readonly line: string }[]>;
}

/** The same commands as everywhere, typed where the bot runs. Whoever sits there is its operator. */
export function startTerminal({ terminal, receiver, ask, complete }: TerminalOptions): { close(): void } {
  if (terminal.input === undefined) return { close: () => {} };
  const caller: Caller = {
    receiver,
    user: 'terminal',
    person: 'terminal',
    manages: true,
    language: 'en',
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
    // The next line need not wait for it.
    void later?.then((whole) => whole && print(whole));
  });
  return { close: () => lines.close() };
}
