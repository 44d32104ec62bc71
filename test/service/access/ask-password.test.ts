import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { askPassword } from '#src/service/access/ask-password.ts';

const terminal = () => {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new PassThrough({ encoding: 'utf8' });
  const shown: string[] = [];
  output.on('data', (text: string) => shown.push(text));
  const type = async (question: string, text: string) => {
    await vi.waitUntil(() => shown.join('').includes(question), { interval: 1 });
    input.write(text);
  };
  return { input, output, type, shown: () => shown.join('') };
};

describe('a password', () => {
  it('at a terminal is asked twice and never echoed', async () => {
    const { input, output, type, shown } = terminal();
    const asked = askPassword(input, output);
    await type('Password: ', 'correct horxx\u007f\u007fse\r');
    await type('Once more: ', 'correct horse\r');
    expect(await asked).toBe('correct horse');
    expect(shown()).toBe('Password: \nOnce more: \n');
  });

  it.each([
    ['that differs the second time', 'correct horsf\r', /differ/],
    ['given up with Ctrl-C', '\u0003', /No password/],
  ])('%s is refused', async (_rule, second, error) => {
    const { input, output, type } = terminal();
    const asked = askPassword(input, output);
    const refused = expect(asked).rejects.toThrow(error);
    await type('Password: ', 'correct horse\r');
    await type('Once more: ', second);
    await refused;
  });

  it.each([
    ['with a line end', 'correct horse\n', 'correct horse'],
    ['of another system', 'correct horse\r\nmore', 'correct horse'],
    ['without one', 'correct horse', 'correct horse'],
  ])('from a pipe is its first line, %s', async (_rule, text, password) => {
    const input = new PassThrough();
    input.end(text);
    const output = new PassThrough();
    expect(await askPassword(input, output)).toBe(password);
    expect(output.read()).toBeNull();
  });

  it('from an empty pipe is refused', async () => {
    const input = new PassThrough();
    input.end();
    await expect(askPassword(input, new PassThrough())).rejects.toThrow(/No password/);
  });
});
