import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completeInput, completeLine } from '#src/shell/complete.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import { commandContext, commands } from '#test/support/commands.ts';

const lines = (line: string) =>
  completeLine(line, { context: commandContext(), limit: 3 }).map((each) => each.line);

describe('a half-typed line is completed', () => {
  test.each<[string, string, string[]]>([
    ['a command by its beginning', 'fu', ['funding']],
    ['a command, its beginning before its middle', '/subs', ['/subscribe', '/subscriptions', '/unsubscribe']],
    ['a misspelt command', 'fudning', ['funding']],
    [
      'markets, as the universe orders them',
      'funding ',
      ['funding BTCUSDT', 'funding ETHUSDT', 'funding SOLUSDT'],
    ],
    ['a market as people type it', 'coin $et', ['coin ETHUSDT']],
    ['the next of several', 'subscribe all btc,e', ['subscribe all btc,ETHUSDT']],
    ['an input by name', 'subscribe sev', ['subscribe severity=']],
    ['the value of an input by name', 'subscribe severity=c', ['subscribe severity=critical']],
    ['a length of time', 'silence 4', ['silence 4h']],
    ['nothing after what is wrong', 'nonsense b', []],
    ['nothing where nothing is left', 'coin btc ', []],
  ])('%s', (_, line, expected) => expect(lines(line)).toEqual(expected));

  test('any line: there is never an error, and never more than requested', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .constantFrom(...commands.map(({ name }) => name))
            .chain((name) => fc.string().map((rest) => `${name} ${rest}`)),
        ),
        (line) => {
          expect(lines(line).length).toBeLessThanOrEqual(3);
        },
      ),
      { numRuns: 500 },
    );
  });
});

test('one input alone is completed for platforms that ask so', () => {
  const command = commands.find(({ name }) => name === 'subscribe');
  const field = command && fieldsOf(command).find(({ key }) => key === 'symbols');
  expect(field && completeInput(field, { text: 'btc, s', context: commandContext() })).toEqual([
    { label: 'SOLUSDT', text: 'btc, SOLUSDT' },
  ]);
});

test('offered values are explained in the user’s language', () => {
  const [command] = completeLine('fundi', { context: { ...commandContext(), language: 'es' } });
  const [input] = completeLine('funding BTCUSDT lim', { context: { ...commandContext(), language: 'es' } });
  expect(command?.description).toMatch(/^Funding de un mercado: actual/);
  expect(input?.description).toMatch(/^Cuántos pagos de funding/);
});
