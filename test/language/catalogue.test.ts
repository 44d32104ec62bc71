import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { catalogues } from '#src/language/languages.ts';

const src = resolve(import.meta.dirname, '../../src');
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/^language\/..\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }));

/** `msg(message`, `msgIn(context, message`: a context is a word. */
const said = /\bmsg(?:In\(\s*(?:'(\w+)',)?|\()\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`$]*)`)?/g;
const calls = sources.flatMap(({ file, text }) =>
  [...text.matchAll(said)].map(([call, context, single, double, template]) => {
    const message = (single ?? double ?? template)?.replaceAll(/\\(['"`\\])/g, '$1').replaceAll('\\n', '\n');
    return {
      file,
      call,
      message: message === undefined || context === undefined ? message : `${context}|${message}`,
    };
  }),
);
const onPage = ({ file }: { readonly file: string }) => file.startsWith('web/');
const distinct = (some: readonly (string | undefined)[]) =>
  [...new Set(some.filter((message) => message !== undefined))].sort();
const messages = distinct(calls.filter((call) => !onPage(call)).map(({ message }) => message));

/** `{{…}}` of the page’s mark-up; its catalogue stands there as `{{words}}`. */
const pages = ['web/index.html', 'web/login.html'].map((file) => readFileSync(join(src, file), 'utf8'));
const marked = [...pages.join('').matchAll(/\{\{(.+?)\}\}/g)].map(([, text]) => text);
const pageMessages = distinct([
  ...calls.filter(onPage).map(({ message }) => message),
  ...marked.filter((text) => text !== 'words'),
]);

/** Names of what a message takes, however often and in whatever plural. */
function argumentsOf(message: string): string[] {
  const names = new Set<string>();
  const visit = (elements: ReturnType<IntlMessageFormat['getAst']>) => {
    for (const element of elements) {
      if ('options' in element) for (const { value } of Object.values(element.options)) visit(value);
      // Type 0 is literal text, 7 the number of a plural.
      if (element.type !== 0 && element.type !== 7) names.add(element.value);
    }
  };
  visit(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst());
  return [...names].sort();
}

it('every message is written out where it is said, so that the catalogues can be held against the sources', () => {
  expect(calls.filter(({ message }) => message === undefined)).toEqual([]);
  expect(messages.length).toBeGreaterThan(500);
});

describe.each(
  Object.entries(catalogues).flatMap(([language, { messages: own, page }]) => [
    { language, where: 'messages', said: messages, own },
    { language, where: 'the page', said: pageMessages, own: page },
  ]),
)('$language, $where', ({ said, own: catalogue }) => {
  it('has every message that is said', () => {
    expect(said.filter((message) => !(message in catalogue))).toEqual([]);
  });

  it('has no message that nobody says', () => {
    expect(Object.keys(catalogue).filter((message) => !said.includes(message))).toEqual([]);
  });

  it('takes the same values in each', () => {
    const wrong = Object.entries(catalogue).filter(
      ([message, own]) => String(argumentsOf(message)) !== String(argumentsOf(own)),
    );
    expect(wrong).toEqual([]);
  });
});
