import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aliasesOf } from '#src/language/languages.ts';
import { interpretLine } from '#src/shell/interpret-line.ts';
import { parseLine } from '#src/shell/parse.ts';
import { readRequest } from '#src/shell/request.ts';
import { ask, commandContext, commands } from '#test/support/commands.ts';
import { universe } from '#test/support/data.ts';

const meant = async (line: string) => {
  const { command, input } = await readRequest(commands, { request: line, asking: commandContext() });
  return [command.name, input] as const;
};

describe('lines typed in various ways are understood', () => {
  test.each([
    ['a question mark', '?', 'help'],
    ['one from a Chinese keyboard', '？', 'help'],
    ['in Chinese', '帮助', 'help'],
    ['in Spanish', 'ayuda', 'help'],
    ['with a slash', '/帮助', 'help'],
    ['a market alone', 'BTC', 'coin btc'],
    ['a cashtag alone', '$eth', 'coin eth'],
    ['several markets', 'btc eth sol', 'compare btc eth sol'],
    ['the market first', 'btc funding', 'funding btc'],
    ['the market first, and more', 'eth oi 24', 'oi eth 24'],
    ['the market first, in Chinese', 'btc 资金费率', 'funding btc'],
    ['the price of a market', 'price btc', 'coin btc'],
    ['a key without its equals sign', 'settings language es', 'settings language=es'],
    [
      'a key before several',
      'subscribe Symbols btc eth severity warning',
      'subscribe symbols=btc,eth severity=warning',
    ],
    ['what is a value and a key', 'subscribe quiet', 'subscribe preset=quiet'],
    ['a level', 'alert btc > 25000', 'alert new sentence="btc > 25000"'],
    ['a level without spaces', 'alert btc<25k', 'alert new sentence="btc<25k"'],
    ['a level in words', 'alert create eth above 4000', 'alert new sentence="eth above 4000"'],
    ['a level of a metric', 'alert btc funding.z > 2', 'alert new sentence="btc funding.z > 2"'],
    ['a level, and how', 'alert btc > 25000 for=10m once', 'alert new sentence="btc > 25000 once" for=10m'],
    ['a level, the market first', 'btc alert > 25000', 'alert new sentence="btc > 25000"'],
  ])('%s: %s', async (_, typed, line) => expect(await meant(typed)).toEqual(await meant(line)));

  test('an alert above a level is shown as it is read before it is created', async () => {
    const { title, summary, actions = [] } = await ask('alert btc > 25000');
    expect(title).toBe('Preview: nothing is saved');
    expect(summary).toContain('price above 25,000, on BTC.');
    expect(JSON.stringify(await ask(actions[0]?.command ?? ''))).toContain('price.last > 25000');
  });

  test('a condition in quotation marks is left as it is', () => {
    const line = parseLine('alert create "funding.z > 2 && oi.ratePct > 1" btc');
    expect(interpretLine(line, commandContext())).toEqual(line);
  });

  test('the name of a command is understood, whatever else is in the line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...commands),
        fc.constantFrom(...universe),
        async ({ name }, market) => {
          const line = { name: market, words: [{ text: name }] };
          expect(interpretLine(line, commandContext()).name).toBe(name);
        },
      ),
    );
  });

  test('no two commands answer to one name', () => {
    const owners = new Map<string, string>();
    for (const { name, otherNames = [] } of commands) {
      for (const each of new Set([name, ...aliasesOf(name), ...otherNames])) {
        expect(owners.get(each), each).toBeUndefined();
        owners.set(each, name);
      }
    }
  });
});

describe('a line that is not understood gets the most similar valid suggestion', () => {
  test.each([
    ['funding bitcon', /^Unknown market "bitcon"\nDid you mean BTC\?/],
    ['bitcon funding', /^Unknown market "bitcon"\nDid you mean BTC\?/],
    ['coin etherium', /Did you mean ETH\?/],
    ['coin sloana', /Did you mean SOL\?/],
    ['funding zzzzqq', /^Unknown market "zzzzqq"\nTry BTC, ETH, SOL/],
    ['fundnig btc', /^Unknown command "fundnig"\nDid you mean funding\?/],
    ['what is bitcoin doing?', /^Unknown command "what"\nDid you mean coin btc\?/],
    ['settings language', /^Give language a value: language=en/],
    ['unsubscribe', /^Which one\? Add its id/],
    ['alert bitcon > 25000', /Did you mean BTC\?/],
    [
      'subscribe funding-extrme btc',
      /^Unknown kind of alert "funding-extrme"\nDid you mean funding-extreme\?/,
    ],
    ['subscribe kinds=fundng', /\nDid you mean funding\?/],
    ['silence btc 400d', /^for: give a length of time from 1m to 30d/],
    // Two wrong letters of three are no misspelling.
    ['why foo', /^I don’t understand "foo"\nIt takes kind, symbol/],
    ['key', /^Unknown command "key"\nType "help"/],
  ])('%s', async (line, said) => {
    const card = await ask(line);
    expect(`${card.title}\n${card.summary}`.replace('I didn’t understand that\n', '')).toMatch(said);
  });

  /** Replaces, omits, doubles or swaps a letter. */
  const misspelt = (text: string) =>
    fc
      .tuple(
        fc.integer({ min: 0, max: text.length - 2 }),
        fc.constantFrom('replace', 'omit', 'double', 'swap'),
      )
      .map(([at, how]) => {
        const [before, here = '', after] = [text.slice(0, at), text[at], text.slice(at + 1)];
        if (how === 'replace') return `${before}q${after}`;
        if (how === 'omit') return before + after;
        if (how === 'double') return before + here + here + after;
        return before + after.slice(0, 1) + here + after.slice(1);
      });
  const anyLine = fc.oneof(
    fc.constantFrom(...commands.map(({ name }) => name)).chain(misspelt),
    fc
      .constantFrom('bitcoin', 'ethereum', 'solana', 'dogecoin')
      .chain(misspelt)
      .map((market) => `funding ${market}`),
    fc
      .array(
        fc.oneof(fc.constantFrom('btc', 'funding', 'alert', '>', '25000', '?'), fc.string({ maxLength: 8 })),
        {
          maxLength: 5,
        },
      )
      .map((words) => words.join(' ')),
  );

  test('any line is answered with a card, and an error names what would be understood', async () => {
    await fc.assert(
      fc.asyncProperty(anyLine, async (line) => {
        const { title, summary } = await ask(line);
        expect(title).not.toBe('');
        if (title === 'I didn’t understand that')
          expect(summary).toMatch(
            /Did you mean|Usage: |Type "help"|Type a command|at most|quotation mark|empty/,
          );
      }),
      { numRuns: 500 },
    );
  });
});
