import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLine, writeLine } from '#src/shell/parse.ts';

const key = fc.stringMatching(/^[a-z][a-z-]{0,8}$/);
const value = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom('funding.z > 2.5 && regime.state == "RISK_OFF"', '{"a": 1}', 'a=b', '2h', '=', 'a\tb'),
);

test('a line that was written from inputs is read back as the same inputs', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value), (inputs) => {
      const line = writeLine('alert', inputs);
      fc.pre(line !== undefined && Object.values(inputs).every((text) => text.trim() !== ''));
      const { name, words } = parseLine(line ?? '');
      expect([name, Object.fromEntries(words.map(({ key = 'action', text }) => [key, text]))]).toEqual([
        'alert',
        inputs,
      ]);
    }),
  );
});

test.each([
  ['what is not given is left out', { a: 'x', b: undefined }, 'cmd a=x'],
  ['what has spaces is quoted', { a: 'x y' }, 'cmd a="x y"'],
  ['in the marks it does not hold', { a: 'x == "y"' }, `cmd a='x == "y"'`],
  ['numbers are written out', { a: 2.5 }, 'cmd a=2.5'],
  ['an action needs no key', { action: 'create', a: 'x' }, 'cmd create a=x'],
  ['both marks cannot be', { a: `it's "x"` }, undefined],
])('%s', (_, inputs, line) => expect(writeLine('cmd', inputs)).toBe(line));

test.each([
  ['a slash before a space is a slash', '/ funding btc', 'funding', ['btc']],
  ['a bot’s name after the command is left out', '/funding@tocsin_bot btc', 'funding', ['btc']],
])('%s', (_, line, name, words) =>
  expect(parseLine(line)).toEqual({ name, words: words.map((text) => ({ text })) }),
);

test.each(['/', ' / ', '/@tocsin_bot', ''])('a line that names no command asks for one: "%s"', (line) =>
  expect(() => parseLine(line)).toThrow('Type a command'),
);

test.each([
  [
    'templates after one another are one input each',
    'symbol={data.market} side={s} title="{data.market} {tf} breakout" alert={a}-{b} for=4h',
    [
      { key: 'symbol', text: '{data.market}' },
      { key: 'side', text: '{s}' },
      { key: 'title', text: '{data.market} {tf} breakout' },
      { key: 'alert', text: '{a}-{b}' },
      { key: 'for', text: '4h' },
    ],
  ],
  [
    'JSON is one input, with all that it contains',
    'in= {"a": {"b": "} \\" {"}, "c": {}} yes',
    [{ key: 'in', text: '{"a": {"b": "} \\" {"}, "c": {}}' }, { text: 'yes' }],
  ],
  [
    'a brace that closes none is a word of its own',
    '{"a": {"b": 1} , 2} yes }',
    [{ text: '{"a": {"b": 1} , 2}' }, { text: 'yes' }, { text: '}' }],
  ],
  [
    'one that is not closed is a character like any other',
    'a={b c={d}} {"e f',
    [{ key: 'a', text: '{b c={d}}' }, { text: '{"e' }, { text: 'f' }],
  ],
])('of what is in braces %s', (_, line, words) => expect(parseLine(`cmd ${line}`).words).toEqual(words));
