import type { Fact } from '../../alert/alert.ts';
import { type Hook, type HookField, type HookTemplate, hookFields } from '../../alert/hook.ts';
import { UserError } from '../../language/errors.ts';
import { title as alone, span } from '../../language/format.ts';
import { listOf, msg, type Text, typed } from '../../language/text.ts';
import type { PlaceStore } from '../../store/ports.ts';
import { noSuchId } from './no-such-id.ts';

const maxPerPlace = 20;
/** The most hooks of an account: a guild with all its channels, or a chat with all its topics. */
const maxPerAccount = 100;

/** Returns the path of a hook, on the host of the bot's page. */
export const addressOf = ({ id }: Pick<Hook, 'id'>): string => `/hooks/${id}`;

/** Throws UserError if the place or its account has as many hooks as it may have, or the place has one of this name. */
export async function checkNewHook(
  { receiver, name }: Pick<Hook, 'receiver' | 'name'>,
  { hooks }: Pick<PlaceStore, 'hooks'>,
): Promise<void> {
  const existing = await hooks.of(receiver);
  const same = existing.find((hook) => hook.name === name);
  if (same !== undefined)
    throw new UserError(msg('A hook of this chat has this name: {id}. Give another name.', { id: same.id }));
  if (existing.length >= maxPerPlace)
    throw new UserError(
      msg('This chat is at its limit of {count, number} hooks: delete one first.', { count: maxPerPlace }),
    );
  if ((await hooks.countOfAccount(receiver)) >= maxPerAccount)
    throw new UserError(
      msg(
        'This server or chat is at its limit of {count, number} hooks across its channels or topics: delete one first.',
        { count: maxPerAccount },
      ),
    );
}

/** The form of an id: eight of these characters. */
const idPattern = /^[bcdfghjkmnpqrstvwxz2-6]{8}$/;

/** Checks the name of a hook. Throws UserError if it is missing or looks like an id, as a hook can be named by either. */
export function checkName(name: string | undefined): string {
  if (name !== undefined && !idPattern.test(name)) return name;
  const example = typed('hook create breakouts', 'hook create name:breakouts');
  throw new UserError(
    name === undefined
      ? msg('Give it a name: {example}.', { example })
      : msg('That looks like an id. Give it a name: {example}.', { example }),
  );
}

/** Finds a hook by its id or its name. Throws UserError if there is none. */
export function findHook(id: string | undefined, existing: readonly Hook[]): Hook {
  if (existing.length === 0)
    throw new UserError(
      msg('This chat has no hooks. Create one: {example}.', {
        example: typed('hook create breakouts', 'hook create name:breakouts'),
      }),
    );
  const meant = existing.find((hook) => hook.id === id) ?? existing.find((hook) => hook.name === id);
  if (meant !== undefined) return meant;
  throw id === undefined
    ? new UserError(msg('Which one? There are: {ids}.', { ids: listOf(existing.map((hook) => hook.id)) }))
    : noSuchId(msg('No hook of this chat has the id "{id}"', { id }), existing);
}

/** Reads the given fields of a template. Throws UserError if a brace is not closed. */
export function readTemplate(given: Readonly<Partial<Record<HookField, string | undefined>>>): HookTemplate {
  const fields = hookFields.flatMap((field) => {
    const template = given[field];
    if (template === undefined) return [];
    if (/[{}]/.test(template.replaceAll(/\{\{?[^{}]+\}\}?/g, '')))
      throw new UserError(
        msg('"{template}" has a brace without its other: write {example}.', {
          template,
          example: '{ticker}',
        }),
      );
    return [[field, template] as const];
  });
  return Object.fromEntries(fields);
}

const names: Readonly<Record<HookField, Text>> = {
  name: msg('Alerts are told apart by'),
  symbol: msg('Market'),
  direction: msg('Direction'),
  severity: msg('Severity'),
  title: msg('Title'),
  text: msg('Text'),
  status: msg('Status'),
};

export const hookFacts = ({ template, severity, lasts, signed }: Hook): readonly Fact[] => [
  ...hookFields.flatMap((field) => {
    const value = template[field];
    return value === undefined ? [] : [{ name: names[field], value }];
  }),
  ...(template.severity === undefined ? [{ name: msg('Severity'), value: alone(severity) }] : []),
  {
    name: msg('Expires'),
    value:
      lasts === null
        ? msg('1 h after the last signal; 1 day (a position: 7 days) if the sender says when it is over')
        : msg('{after} after the last signal', { after: span(lasts) }),
  },
  {
    name: msg('Proof'),
    value: signed ? msg('signed bodies (Standard Webhooks)') : msg('its secret'),
  },
];
