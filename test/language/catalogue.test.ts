import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { dataBlind } from '#src/alert/alert.ts';
import { ownRule } from '#src/alert/rule.ts';
import { catalogueOf, english, languages } from '#src/language/languages.ts';
import { detectors } from '#test/support/detectors.ts';
import { complete, written } from './complete.ts';
import { calls, described as menus, messages, named, sources } from './said.ts';

const root = resolve(import.meta.dirname, '../..');

/** Returns the names of a message's arguments, each once, including those in plural forms. */
function argumentsOf(message: string): string[] {
  const names = new Set<string>();
  const visit = (elements: ReturnType<IntlMessageFormat['getAst']>) => {
    for (const element of elements) {
      if ('options' in element) for (const { value } of Object.values(element.options)) visit(value);
      // Type 0 is literal text, type 7 the number of a plural.
      if (element.type !== 0 && element.type !== 7) names.add(element.value);
    }
  };
  visit(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst());
  return [...names].sort();
}

it('every message is a literal in the sources, so that the catalogues can be checked against them', () => {
  expect(calls.filter(({ key }) => key === undefined)).toEqual([]);
  expect(messages.length).toBeGreaterThan(1_000);
});

const kinds = [...detectors.map(({ name }) => name), dataBlind, ownRule];

/** A missing translation appears in English and is no failure here: `npm run translations` lists it. */
describe.each(languages)('%s.json', (language) => {
  const file = readFileSync(join(root, `src/language/catalogues/${language}.json`), 'utf8');
  const { unused } = complete(JSON.parse(file), language === english ? {} : { menu: named, messages });
  const own = [...catalogueOf(language).messages];

  it('has no message that nothing uses', () => {
    expect(unused).toEqual([]);
  });

  it('is well formed, with the same arguments as in English', () => {
    const wrong = own.filter(([key, text]) => String(argumentsOf(key)) !== String(argumentsOf(text)));
    expect(wrong).toEqual([]);
  });

  it('has a name in words for every kind of alert', () => {
    expect(kinds.filter((kind) => !catalogueOf(language).labels.has(kind))).toEqual([]);
  });

  it('names only existing commands in the words that people type', () => {
    const known = new Set([...named.commands, 'above', 'below']);
    expect([...catalogueOf(language).typed.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  it('is sorted as `npm run translations` writes it', () => {
    expect(file).toBe(written(JSON.parse(file)));
  });
});

/** Phrases that were hard to understand, and what to write instead. */
const riddles: readonly (readonly [said: RegExp, better: string])[] = [
  [/\b(is|are) (told|tried|sent|looked for|followed) again\b/i, 'retrying, back, resending'],
  [/\btold (again|here|anew|already|late|in)\b|\b(already|not|have) told\b/i, 'sent, alerted, back'],
  [/\bis no (more|time|number|watchlist|metric|JSON|YAML)\b/i, 'no longer exists; is not a …'],
  [/\bas it seems\b|\bwhat is usual\b|\bits usual\b(?! risk)/i, 'normal'],
  [/\bgiven up\b|\bcalled off\b|\bworked out\b/i, 'timed out, cancelled'],
  [/\b(it|one) begins with\b|\bas many as it may\b|\bat first:/i, 'Create one; at its limit; default'],
  [/\b(may|can) be had\b|\bcannot be (had|seen|done)\b/i, 'unavailable'],
  [/\bof this place\b|\bthis place\b/i, 'this chat'],
  [/\bn = \d/, 'alerts'],
  [/\b(is|are) expected\b/i, 'give …'],
  [/\bmade up\b|\bstumbled\b|\bunwind over \(/i, 'sample, error, unwind over: …'],
  [/\bends when\b|\bcrowd,/i, 'Clears when; crowded'],
  [/(?<!, e\.g\. \w*)USDT(?! basis)\b(?!\.)/, 'BTC in prose'],
  [/(^|[\s(:])-\d/, 'a minus: −'],
];
it.each(riddles)('no message contains an unclear phrase: %s should be %s', (said) => {
  expect(messages.filter((text) => said.test(text))).toEqual([]);
});

/** Matches the last text of a call: `log.warn({ err }, 'a feed failed; retrying')`. */
const logged = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/\blog\??\.(?:info|warn|error|debug)\([^;]*?['`]([^'`]{8,})['`],?\s*\)/g)].map(
    ([, line]) => ({ file, text: line ?? '' }),
  ),
);
/** Matches the errors that stop a start or a command of the command line. */
const refused = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/\b(?:ConfigError|InputError)\(\s*\[?\s*(['"`])(.*?)\1/gs)].map(([, , line]) => ({
    file,
    text: line ?? '',
  })),
);
const documents = ['README.md', 'CONTRIBUTING.md', 'config/default.yaml', ...docsOf(root)].flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((text) => ({ file, text })),
);
function docsOf(folder: string): string[] {
  return readdirSync(join(folder, 'docs'))
    .filter((file) => file.endsWith('.md') && file !== 'measured.md')
    .map((file) => `docs/${file}`);
}
const plain: readonly (readonly [rule: string, said: RegExp])[] = [
  ['nobody tells anything again', /\b(told|tried|asked|sent) (again|anew|already)\b|\balready told\b/i],
  ['an error is one', /\bstumbl|\bgiven up\b|\bworked out\b/i],
  ['data is missing or unavailable', /\bcannot be had\b|\bnothing is (heard|told)\b/i],
  ['a default is called one', /\bat first\b|where (it is )?left out\b/i],
  ['a chat is one', /\b(this|the) (whole )?place('|’)?\b(?! is| has| to )/i],
  ['what is normal is called so', /\b(its|the) usual\b/i],
];

describe('texts besides messages', () => {
  it('are found in the sources', () => {
    expect(logged.length).toBeGreaterThan(60);
    expect(menus.length).toBeGreaterThan(100);
    expect(refused.length).toBeGreaterThan(30);
  });
  it.each(plain)('in log lines: %s', (_, said) => {
    expect(logged.filter(({ text }) => said.test(text))).toEqual([]);
  });
  const wrongValue = [
    'a wrong value is followed by what to give',
    /\b(is|are) (expected|allowed)\b|\bwas given\b/i,
  ] as const;
  it.each([...plain, wrongValue])('in problems to fix: %s', (_, said) => {
    expect(refused.filter(({ text }) => said.test(text))).toEqual([]);
  });
  it.each(plain)('in commands and their inputs: %s', (_, said) => {
    expect(menus.filter((text) => said.test(text))).toEqual([]);
  });
  it.each(plain.filter(([rule]) => !rule.startsWith('a chat')))(
    'in documents and settings: %s',
    (_, said) => {
      expect(documents.filter(({ text }) => said.test(text))).toEqual([]);
    },
  );
});

const strangers: readonly (readonly [rule: string, language: string, said: RegExp])[] = [
  ['Spanish crowds a side, it does not saturate it', 'es', /saturad/],
  ['Spanish has one word for open interest', 'es', /inter[eé]s abierto/i],
  ['Spanish has one word for the outbox', 'es', /bandeja de salida/i],
  ['Chinese has one word for an alert', 'zh', /提醒/],
  ['Chinese quotes as Chinese does', 'zh', /"/],
  ['Chinese knows Beijing time', 'zh', /GMT\+8/],
  ['Spanish calls a default one', 'es', /\b(de inicio|si se omite)\b/i],
  ['Chinese calls a default one', 'zh', /初始为|不填则为|留空则/],
  ['Chinese funding turns positive or negative', 'zh', /翻转回去|现为.头付给/],
];
it.each(strangers)('%s', (_, language, said) => {
  expect([...catalogueOf(language).messages.values()].filter((text) => said.test(text))).toEqual([]);
});
