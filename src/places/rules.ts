import { type Rule, ruleName } from '../alert/rule.ts';
import { UserError } from '../language/errors.ts';
import { marketName, span } from '../language/format.ts';
import { lines, listOf, msg, type Text, typed } from '../language/text.ts';
import { compile, tryCompile } from '../rules/compile.ts';
import { type ConditionInput, changeCondition, conditionOf } from '../rules/simple.ts';
import { conditionWords } from '../rules/words.ts';
import type { Author, PlaceStore } from '../store/ports.ts';
import {
  type Done,
  type Editing,
  findThings,
  makerOf,
  proveReach,
  requireChangeable,
  requireRoom,
  type Which,
} from './editing.ts';

/** What is given of a rule. What is left out has its default, or stays as it is. Lengths of time in ms. */
export interface GivenRule extends ConditionInput {
  readonly name?: string | undefined;
  readonly symbols?: readonly string[] | undefined;
  /** How long the condition must have been true. */
  readonly for?: number | undefined;
  readonly mode?: Rule['mode'] | undefined;
  /** How long from now on the rule stays active. */
  readonly until?: number | undefined;
  readonly severity?: Rule['severity'] | undefined;
}

/** Throws UserError if a rule about symbols names none, or its condition cannot be read. */
export function checkMarkets(rule: Rule): void {
  if (compile(rule).about === 'market' || rule.symbols.length > 0) return;
  throw new UserError(msg('Which markets? Name some, such as btc, or top20, watchlist or all.'));
}

/** Throws UserError if the parts of a rule do not go together. */
function checkTerms(rule: Rule): void {
  checkMarkets(rule);
  if (rule.hold > 0 && compile(rule).condition.crosses)
    throw new UserError(msg('A crossing is one moment: leave "for" out, or say above or below.'));
}

/** Builds a rule that is not stored yet. Throws UserError with what is missing or cannot be read. */
export function buildRule(given: GivenRule, author: Author): Rule {
  const { receiver, at: now } = author;
  const rule: Rule = {
    id: '',
    receiver,
    name: given.name ?? null,
    ...conditionOf(given),
    symbols: given.symbols ?? [],
    hold: given.for ?? 0,
    mode: given.mode ?? 'always',
    expiresAt: given.until === undefined ? null : now + given.until,
    severity: given.severity ?? 'warning',
    paused: false,
    createdBy: makerOf(author),
    createdAt: now,
  };
  checkTerms(rule);
  return rule;
}

/** Returns the rule with the given parts changed. Throws UserError with what cannot be read. */
export function changedRule(before: Rule, given: GivenRule, now: number): Rule {
  const rule: Rule = {
    ...before,
    ...changeCondition(before, given),
    name: given.name ?? before.name,
    symbols: given.symbols ?? before.symbols,
    hold: given.for ?? before.hold,
    mode: given.mode ?? before.mode,
    expiresAt: given.until === undefined ? before.expiresAt : now + given.until,
    severity: given.severity ?? before.severity,
  };
  checkTerms(rule);
  return rule;
}

/** All that a person can set of a rule, as a text that equal rules share. */
const termsOf = (rule: Rule): string => {
  const { condition, clear, symbols, hold, mode, expiresAt, severity, name, paused, position } = rule;
  return JSON.stringify([condition, clear, symbols, hold, mode, expiresAt, severity, name, paused, position]);
};

/**
 * Returns the rule that equals the given one in all that a person can set, except for its end: "until=7d" ends a little
 * later each time it is asked for.
 */
function findSame(rule: Rule, rules: readonly Rule[]): Rule | undefined {
  const endless = (each: Rule) => termsOf({ ...each, expiresAt: null });
  return rules.find((each) => endless(each) === endless(rule));
}

/** Returns the rules that differ from all existing ones, each once. */
export const newRules = (rules: readonly Rule[], existing: readonly Rule[]): readonly Rule[] => {
  const known = new Set(existing.map(termsOf));
  return [...new Map(rules.map((rule) => [termsOf(rule), rule])).entries()]
    .filter(([terms]) => !known.has(terms))
    .map(([, rule]) => rule);
};

/** Within a change: stores a new rule. Throws UserError if the place or its account is at its limit. */
export async function putRule(
  { id: _, ...rule }: Rule,
  { places, audit }: { readonly places: PlaceStore; audit(what: Text): void },
): Promise<Rule> {
  const existing = await places.rules.of(rule.receiver);
  await requireRoom('rules', existing, () => places.rules.countOfAccount(rule.receiver));
  const added = await places.rules.add(rule);
  audit(msg('alert {id} created: {name}', { id: added.id, name: ruleName(added) }));
  return added;
}

interface PutRule extends Done {
  readonly rule: Rule;
}

/** Stores a rule that `buildRule` has made. @throws UserError */
export async function createRule(given: Rule, editing: Editing): Promise<PutRule> {
  const { store, author } = editing;
  await proveReach(editing);
  const rule = await store.change(author, async (places, audit) => {
    const same = findSame(given, await places.rules.of(author.receiver));
    // A platform may repeat a request whose answer was lost.
    if (same !== undefined)
      throw new UserError(msg('This chat already has this alert: {id}.', { id: same.id }), {
        code: 'conflict',
      });
    return putRule(given, { places, audit });
  });
  return { rule, title: msg('Alert created'), summary: ruleText(rule) };
}

const missing = {
  none: msg('This chat has no alerts of its own. Create one: {example}.', {
    example: typed(
      'alert create price.last above=100000 btc',
      'alert create metric:price.last above:100000 symbols:btc',
    ),
  }),
  unknown: (id: string) => msg('No alert of this chat has the id "{id}"', { id }),
};

/** Returns the place's rules that are meant. Throws UserError if there are none. */
export const findRules = <Found extends Rule>(
  which: Which,
  existing: readonly Found[],
  wanted: typeof missing = missing,
) => findThings(which, existing, wanted);

/** Returns the place's one rule that is meant. Throws UserError if there is none or several. */
export function findRule<Found extends Rule>(
  which: Which,
  existing: readonly Found[],
  wanted: typeof missing = missing,
): Found {
  const [rule, ...others] = findRules(which, existing, wanted);
  if (others.length > 0) throw new UserError(msg('One at a time: give the id of one.'));
  return rule;
}

/** Changes one rule. @throws UserError */
export async function editRule(which: Which, given: GivenRule, { store, author }: Editing): Promise<PutRule> {
  const rule = await store.change(author, async (places, audit) => {
    const before = findRule(which, await places.rules.of(author.receiver));
    requireChangeable([before]);
    const rule = changedRule(before, given, author.at);
    await places.rules.update(rule);
    audit(msg('alert {id} changed: {name}', { id: rule.id, name: ruleName(rule) }));
    return rule;
  });
  return { rule, title: msg('Alert changed'), summary: ruleText(rule) };
}

interface ChangedRules extends Done {
  /** Those that are new in this state, or gone. */
  readonly changed: readonly Rule[];
  /** What the place has now. */
  readonly left: readonly Rule[];
}

/** Pauses or resumes rules. @throws UserError */
export async function pauseRules(
  which: Which,
  paused: boolean,
  { store, author }: Editing,
): Promise<ChangedRules> {
  const { changed, left } = await store.change(author, async (places, audit) => {
    const existing = await places.rules.of(author.receiver);
    const meant = requireChangeable(findRules(which, existing)).filter((rule) => rule.paused !== paused);
    for (const rule of meant) {
      await places.rules.update({ ...rule, paused });
      const about = { id: rule.id, name: ruleName(rule) };
      audit(paused ? msg('alert {id} paused: {name}', about) : msg('alert {id} resumed: {name}', about));
    }
    const left = existing.map((rule) => (meant.includes(rule) ? { ...rule, paused } : rule));
    return { changed: left.filter((_, at) => left[at] !== existing[at]), left };
  });
  return { changed, left, title: paused ? msg('Paused') : msg('Resumed'), summary: namesOf(changed) };
}

/** Deletes rules. @throws UserError */
export async function endRules(which: Which, { store, author }: Editing): Promise<ChangedRules> {
  const { changed, left } = await store.change(author, async (places, audit) => {
    const existing = await places.rules.of(author.receiver);
    const meant = requireChangeable(findRules(which, existing));
    for (const rule of meant) {
      await places.rules.remove(rule.id, author.receiver);
      audit(msg('alert {id} deleted: {name}', { id: rule.id, name: ruleName(rule) }));
    }
    return { changed: meant, left: existing.filter((rule) => !meant.includes(rule)) };
  });
  const count = changed.length;
  return {
    changed,
    left,
    title: msg('{count, plural, one {Alert deleted} other {# alerts deleted}}', { count }),
    summary: namesOf(changed),
  };
}

const namesOf = (rules: readonly Rule[]): Text =>
  lines(...rules.map((rule) => rule.name ?? conditionText(rule)));

/** Says which markets the rule is about: the whole market, or the symbols that it names. */
export function marketsOf(rule: Rule): Text {
  if (tryCompile(rule)?.about === 'market') return msg('the whole market');
  return rule.symbols.includes('*') ? msg('all markets') : listOf(rule.symbols.map(marketName));
}

/** Says the condition in words: `24 h change below 0%`. A condition that cannot be read is returned as it is written. */
export function conditionText(rule: Rule): Text {
  const compiled = tryCompile(rule);
  return compiled === undefined ? rule.condition : conditionWords(compiled.condition);
}

/** Says what the rule fires on: `24 h change below 0%, on BTC.` */
export const ruleText = (rule: Rule): Text =>
  msg('{when}, on {markets}.', { when: conditionText(rule), markets: marketsOf(rule) });

/** Says also for how long the condition must hold: `24 h change below 0% for 10 min, on BTC.` */
export const ruleSentence = (rule: Rule): Text =>
  rule.hold === 0
    ? ruleText(rule)
    : msg('{when} for {hold}, on {markets}.', {
        when: conditionText(rule),
        hold: span(rule.hold),
        markets: marketsOf(rule),
      });

/** Says whether the rule is judged, and if not, why. */
export function stateOf(rule: Rule, now: number): Text {
  if (tryCompile(rule) === undefined) return msg('cannot be read: edit it');
  if (rule.paused) return msg('paused');
  if (rule.expiresAt !== null && rule.expiresAt <= now) return msg('expired');
  return msg('on');
}
