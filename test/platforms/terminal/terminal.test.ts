import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { startTerminal } from '#src/platforms/terminal/terminal.ts';

function typing(later: Promise<Card<string> | undefined>) {
  const input = new PassThrough();
  const printed: string[] = [];
  const terminal = startTerminal({
    terminal: {
      columns: 80,
      color: false,
      timeZone: 'UTC',
      input,
      write: async (text) => void printed.push(text.trim()),
    },
    ask: async (line) => (line === 'wait' ? { title: 'Checking', later } : { title: 'An answer' }),
    complete: async () => [],
  });
  return { input, printed, close: () => terminal.close() };
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
