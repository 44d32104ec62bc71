import { kindOfHook } from '../alert/hook.ts';
import { kindOfRule, ownRule } from '../alert/rule.ts';
import { didYouMean, quoted, rank } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { labelTitle } from '../language/format.ts';
import { aliasesOf, english, type Language, languages } from '../language/languages.ts';
import { plainReader, say } from '../language/say.ts';
import { join, listOf, msg, type Text, typed } from '../language/text.ts';
import { unknownKind } from '../places/names.ts';
import { completeCondition, rankMetrics, resolveMetric } from '../rules/naming.ts';
import type { Command, CommandContext } from './command.ts';
import { type OwnThingKind, type OwnThings, ownThingKinds } from './own-things.ts';
import { rankSymbols, resolveSymbol } from './symbols.ts';

/** The kinds of things that an input can name. */
export const nameKinds = [
  'symbol',
  'kind',
  'ownKind',
  'zone',
  'command',
  'metric',
  'condition',
  ...ownThingKinds,
] as const;
export type NameKind = (typeof nameKinds)[number];
export type NamesContext = Pick<CommandContext, 'universe' | 'kinds' | 'commands'> & {
  /**
   * The place's own things, for completion. When a command runs, they are present only if one of its inputs names own
   * alerts.
   */
  readonly own?: OwnThings;
  /** Language in which completions are explained. Default: English. */
  readonly language?: Language;
};

interface Vocabulary {
  /** Returns the name that is meant. Throws UserError with suggestions. */
  resolve(text: string, context: NamesContext): string;
  /** Returns all names that one word stands for, in inputs that take several. Empty if the word is not such a group. */
  expandGroup?(text: string, context: NamesContext): readonly string[];
  /** Returns names that the beginning of a word may stand for, best first. */
  rank(text: string, context: NamesContext, limit: number): string[];
  /** Describes what a name stands for, if the name (an id) does not say so itself. */
  about?(name: string, context: NamesContext): string | undefined;
  /** Returns what people call the name, in place of it. */
  label?(name: string, context: NamesContext): string | undefined;
}

const kindLabel = (
  name: string,
  { language = english }: { readonly language?: Language | undefined },
): string => say(labelTitle(name), { ...plainReader, language });

/** Ranks kinds by their names for programs and, after them, by what people call them. */
function rankKinds(text: string, names: readonly string[], { language }: NamesContext): string[] {
  const called = new Map(names.map((name) => [kindLabel(name, { language }), name]));
  const all = [
    ...rank(text, [...called.values()]),
    ...rank(text, [...called.keys()]).flatMap((label) => called.get(label) ?? []),
  ];
  return [...new Set(all)];
}

/** Completes the id of an own thing, by the id or its description. The command checks whether the id exists. */
const ownId = (thing: OwnThingKind) => ({
  resolve: (text: string) => text,
  rank(text: string, { own }: NamesContext, limit: number): string[] {
    const ids = new Map(own?.[thing].map(({ id, about }) => [`${id} ${about}`, id]));
    return rank(text, [...ids.keys()], limit).flatMap((label) => ids.get(label) ?? []);
  },
  about: (name: string, { own }: NamesContext) => own?.[thing].find(({ id }) => id === name)?.about,
});

const ruleIds = ownId('rule');
const hookIds = ownId('hook');
const kindNames = ({ kinds }: NamesContext) => kinds.map(({ name }) => name);
const kindsAndOwn = (context: NamesContext) => [...kindNames(context), ownRule];

/** Time zones that Node.js lists by their former names only. */
const renamedZones = ['Asia/Ho_Chi_Minh', 'Asia/Kathmandu', 'Asia/Kolkata', 'Asia/Yangon', 'Europe/Kyiv'];
const zones = ['UTC', ...renamedZones, ...Intl.supportedValuesOf('timeZone')];

export const vocabulary: Readonly<Record<NameKind, Vocabulary>> = {
  symbol: {
    resolve: (text, { universe }) => resolveSymbol(text, universe),
    rank: (text, { universe }, limit) => rankSymbols(text, universe, limit),
  },
  kind: {
    resolve: (text, context) => resolveKind(text, kindNames(context)),
    expandGroup: (text, context) =>
      kindNames(context).filter((name) => name.startsWith(`${kindTyped(text)}-`)),
    rank: (text, context, limit) => rankKinds(text, kindNames(context), context).slice(0, limit),
    label: kindLabel,
  },
  /** A kind, all of the place's own alerts, or those of one rule or hook by its id or its name. */
  ownKind: {
    resolve(text, context) {
      const kinds = kindsAndOwn(context);
      const typed = text.toLowerCase();
      if (kinds.includes(typed)) return typed;
      const own = [
        ...(context.own?.rule ?? []).map(({ id, about }) => ({ id, about, kind: kindOfRule(id) })),
        ...(context.own?.hook ?? []).map(({ id, about }) => ({ id, about, kind: kindOfHook(id) })),
      ];
      const meant = own.find((each) =>
        [each.id, each.kind, each.about].some((name) => name.toLowerCase() === typed),
      );
      return meant?.kind ?? resolveKind(text, kinds);
    },
    rank: (text, context, limit) =>
      [
        ...rankKinds(text, kindsAndOwn(context), context),
        ...ruleIds.rank(text, context, limit),
        ...hookIds.rank(text, context, limit),
      ].slice(0, limit),
    about: (name, context) => ruleIds.about(name, context) ?? hookIds.about(name, context),
    label: (name, context) => (kindsAndOwn(context).includes(name) ? kindLabel(name, context) : undefined),
  },
  metric: { resolve: resolveMetric, rank: (text, _, limit) => rankMetrics(text, limit) },
  condition: {
    resolve: (text) => text,
    rank: (text, _, limit) => completeCondition(text, limit),
  },
  zone: {
    resolve: (text) => resolveZone(text),
    rank: (text, _, limit) => rank(text.replaceAll(' ', '_'), zones, limit),
  },
  subscription: ownId('subscription'),
  silence: ownId('silence'),
  rule: ruleIds,
  hook: hookIds,
  board: ownId('board'),
  command: {
    resolve: (text, { commands }) => findCommand(text, commands).name,
    rank(text, { commands }, limit) {
      const names = commands.map(({ name }) => name);
      return rank(text.replace(/^\//, ''), names, limit);
    },
  },
};

/** Finds a command by its name or another of its names, in any language. */
export function commandNamed<Named extends Pick<Command, 'name' | 'otherNames'>>(
  text: string,
  commands: readonly Named[],
): Named | undefined {
  const typed = text.replace(/^\//, '').toLowerCase();
  return (
    commands.find(({ name }) => name === typed) ??
    commands.find(
      ({ name, otherNames = [] }) => otherNames.includes(typed) || aliasesOf(name).includes(typed),
    )
  );
}

/** Finds a command by its name. Throws UserError with suggestions: those of `meant`, or names that resemble it. */
export function findCommand<Named extends Pick<Command, 'name' | 'otherNames'>>(
  text: string,
  commands: readonly Named[],
  meant: () => readonly Text[] = () => [],
): Named {
  const name = text.replace(/^\//, '').toLowerCase();
  const command = commandNamed(name, commands);
  if (command !== undefined) return command;
  const names = commands.flatMap((each) => [each.name, ...(each.otherNames ?? [])]);
  const similar = rank(name, names, 3).map((each) => typed(each));
  const hint = name === '' ? undefined : (didYouMean(meant()) ?? didYouMean(similar));
  throw new UserError(join([hint, msg('Type "{help}" for the list.', { help: typed('help') })], ' '), {
    title: msg('Unknown command {text}', { text: quoted(text) }),
  });
}

const kindTyped = (text: string): string => text.toLowerCase().replaceAll(/[\s_]+/g, '-');

function resolveKind(text: string, kinds: readonly string[]): string {
  const typed = kindTyped(text);
  const called = kinds.find((kind) =>
    languages.some((language) => kindTyped(kindLabel(kind, { language })) === typed),
  );
  if (called !== undefined && !kinds.includes(typed)) return called;
  const beginning = kinds.filter((kind) => kind.startsWith(typed));
  const [only, ...others] = kinds.includes(typed) ? [typed] : typed === '' ? [] : beginning;
  if (only !== undefined && others.length === 0) return only;
  const hint =
    didYouMean(rank(typed, [...kinds, ...new Set(kinds.map((kind) => kind.replace(/-.*/, '')))], 3)) ??
    msg('There are: {names}.', { names: listOf(kinds.map((kind) => labelTitle(kind))) });
  throw new UserError(hint, { title: unknownKind(text) });
}

/** Returns the time zone for an IANA name in any case, or for the city of one. */
function resolveZone(text: string): string {
  if (text.trim() === '') return '';
  const typed = text.trim().replaceAll(' ', '_').toLowerCase();
  const [city, ...others] = zones.filter((zone) => zone.toLowerCase().endsWith(`/${typed}`));
  if (city !== undefined && others.length === 0) return city;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: typed }).resolvedOptions();
    return zones.find((zone) => zone.toLowerCase() === typed) ?? timeZone;
  } catch {
    const hint = didYouMean(rank(typed, zones, 3)) ?? msg('Try Europe/Berlin.');
    throw new UserError(hint, { title: msg('Unknown time zone {text}', { text: quoted(text) }) });
  }
}
