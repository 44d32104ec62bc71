import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { InputError } from '../../runtime/errors.ts';

/**
 * Reads a password from a person, who is asked twice and sees no echo, or from the first line of a pipe.
 * @throws InputError if the two entries differ, nothing was given, or the person gave up
 */
export async function askPassword(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  output: NodeJS.WritableStream,
): Promise<string> {
  const person = input.isTTY === true;
  // At a terminal, readline would echo the password to its output; with a pipe it writes nothing.
  const lines = createInterface({ input, output: nowhere(), terminal: person });
  lines.once('SIGINT', () => lines.close());
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    if (person) output.write(question);
    const { value, done } = await answers.next();
    if (person) output.write('\n');
    if (done === true || value === '') throw new InputError('No password: type one, or pipe it in');
    return value;
  };
  try {
    const password = await ask('Password: ');
    if (person && (await ask('Once more: ')) !== password) {
      throw new InputError('The two passwords differ: nothing was changed');
    }
    return password;
  } finally {
    lines.close();
  }
}

const nowhere = () =>
  new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
