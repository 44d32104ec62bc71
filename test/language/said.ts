/** The texts that people read: the catalogues are checked against them and completed from them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findMessages, type SourceMessage } from '#src/language/find-messages.ts';
import type { Text } from '#src/language/text.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import type { Command } from '#src/shell/command.ts';
import { fieldsOf } from '#src/shell/fields.ts';

const src = resolve(import.meta.dirname, '../../src');

export const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }));

/** Every `msg(…)` with its file. */
export const calls: readonly (SourceMessage & { readonly file: string })[] = sources.flatMap(
  ({ file, text }) => findMessages(text).map((said) => ({ ...said, file })),
);

/** Placeholders of the page that are not texts: the catalogue, and the rights of its visitor. */
const filledIn = ['words', 'access', 'ways'];
/** `{{…}}` in the page’s mark-up. */
const marked = ['web/index.html', 'web/login.html']
  .flatMap((file) => [...readFileSync(join(src, file), 'utf8').matchAll(/\{\{(.+?)\}\}/g)])
  .flatMap(([, text]) => (text === undefined || filledIn.includes(text) ? [] : text));

const commands = await loadPlugins<Command>(join(src, 'commands'));
const fields = commands.flatMap((command) => fieldsOf(command));
const keyOf = (text: Text) => (typeof text === 'object' && 'message' in text ? [text.message] : []);

/** The descriptions of commands, their actions and their inputs in menus. */
export const described = [
  ...new Set([
    ...commands.flatMap(({ description, actions = {} }) => [
      ...keyOf(description),
      ...Object.values(actions).flatMap((action) => keyOf(action.description)),
    ]),
    ...fields.flatMap(({ description }) => keyOf(description)),
    'Only you see the answer',
  ]),
];

/** Keys of the catalogues’ messages, each once and sorted. */
export const messages: readonly string[] = [
  ...new Set([...calls.flatMap(({ key }) => key ?? []), ...marked, ...described]),
].sort();

/** The names in menus that may be translated. */
export const named = {
  actions: [...new Set(commands.flatMap(({ actions = {} }) => Object.keys(actions)))],
  commands: commands.map(({ name }) => name),
  inputs: [...new Set([...fields.map(({ key }) => key), 'private'])],
};
