import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { startTerminal } from '#src/platforms/terminal/terminal.ts';

function typing(later: Promise<Card<string> | undefined>) {
  const input = new PassThrough();
  const printed: string[] = [];
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const terminal = startTerminal({
    terminal: {
      columns: 80,
      color: false,
      timeZone: 'UTC',
      input,
      async write(text) {
        if (text.includes('Unwritable')) throw new Error('write EPIPE');
        printed.push(text.trim());
      },
    },
    ask: async (line) => {
      if (line === 'fail') throw new Error('no database');
      if (line === 'gone') return { title: 'Unwritable' };
      return line === 'wait' ? { title: 'Checking', later } : { title: 'An answer' };
    },
    log,
  });
  return { input, printed, warnings, close: () => terminal.close() };
}

it('an answer with a pending preview is printed first and again later, and does not delay the next line', async () => {
  const whole = Promise.withResolvers<Card<string> | undefined>();
  const { input, printed, close } = typing(whole.promise);
  input.write('wait\nmarket\n');
  await expect.poll(() => printed).toEqual(['Checking', 'An answer']);
  whole.resolve({ title: 'Checked' });
  await expect.poll(() => printed).toEqual(['Checking', 'An answer', 'Checked']);
  close();
});

it.each(['fail', 'gone'])('an answer that fails is logged and does not end the process: %s', async (line) => {
  const { input, printed, warnings, close } = typing(Promise.resolve(undefined));
  input.write(`${line}\nmarket\n`);
  await expect.poll(() => [warnings, printed]).toEqual([['could not answer in the terminal'], ['An answer']]);
  close();
});
