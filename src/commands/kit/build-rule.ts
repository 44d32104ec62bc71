import { type Rule, ruleName } from '../../alert/rule.ts';
import type { Card, CardAction } from '../../card/card.ts';
import { UserError } from '../../language/errors.ts';
import { marketName, span, time, words } from '../../language/format.ts';
import { listOf, msg, msgIn, type Text, typed } from '../../language/text.ts';
import { compile } from '../../rules/compile.ts';
import { look, type Standing } from '../../rules/look.ts';
import { type ConditionInput, changeCondition, conditionOf } from '../../rules/simple.ts';
import { conditionWords } from '../../rules/words.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { CommandContext } from '../../shell/command.ts';
import type { PlaceStore } from '../../store/ports.ts';
import { makerOf } from './change.ts';
import { noSuchId } from './no-such-id.ts';
import { fileColumn, fileFact } from './set-by-file.ts';

/** The most rules of a place: with more, nobody could tell which one caused an alert. */
const maxPerPlace = 50;
/** The most rules of an account: a guild with all its channels, or a chat with all its topics. */
const maxPerAccount = 500;

/** Throws UserError if a rule about symbols names none, or its condition cannot be read. */
export function checkMarkets(rule: Rule): void {
  if (compile(rule).about === 'market' || rule.symbols.length > 0) return;
  throw new UserError(msg('Which markets? Name some, such as btc, or top20, watchlist or all.'));
}

/** The inputs of `alert create` and `alert edit`. */
export interface GivenRule extends ConditionInput {
  readonly name?: string | undefined;
  readonly symbols?: readonly string[] | undefined;
  readonly for?: number | undefined;
  readonly mode?: Rule['mode'] | undefined;
  readonly until?: number | undefined;
  readonly severity?: Rule['severity'] | undefined;
}

/** Builds a rule that is not stored yet. Throws UserError with what is missing or cannot be read. */
export function buildRule(given: GivenRule, { caller, now }: Pick<CommandContext, 'caller' | 'now'>): Rule {
  const rule: Rule = {
    id: '',
    receiver: caller.receiver,
    name: given.name ?? null,
    ...conditionOf(given),
    symbols: given.symbols ?? [],
    hold: given.for ?? 0,
    mode: given.mode ?? 'always',
    expiresAt: given.until === undefined ? null : now + given.until,
    severity: given.severity ?? 'warning',
    paused: false,
    createdBy: makerOf(caller),
    createdAt: now,
  };
  checkMarkets(rule);
  return rule;
}

/** Returns the rule with the given inputs changed. Throws UserError with what cannot be read. */
export function changedRule(
  before: Rule,
  { given, now }: { readonly given: GivenRule; readonly now: number },
): Rule {
  const rule: Rule = {
    ...before,
    ...(given.name !== undefined && { name: given.name }),
    ...changeCondition(before, given),
    ...(given.symbols !== undefined && { symbols: given.symbols }),
    ...(given.for !== undefined && { hold: given.for }),
    ...(given.mode !== undefined && { mode: given.mode }),
    ...(given.until !== undefined && { expiresAt: now + given.until }),
    ...(given.severity !== undefined && { severity: given.severity }),
  };
  checkMarkets(rule);
  return rule;
}

/** Stores a new rule. Throws UserError, and stores nothing, if the place or its account is at its limit. */
export async function putRule(
  { id: _, ...rule }: Rule,
  { places, record }: { readonly places: PlaceStore; readonly record: (what: Text) => void },
): Promise<Rule> {
  const existing = (await places.rules.of(rule.receiver)).filter(({ file }) => file === undefined);
  if (existing.length >= maxPerPlace) {
    throw new UserError(
      msg('This chat is at its limit of {count, number} own alerts: delete one first.', {
        count: existing.length,
      }),
    );
  }
  const all = await places.rules.countOfAccount(rule.receiver);
  if (all >= maxPerAccount) {
    throw new UserError(
      msg(
        'This server or chat is at its limit of {count, number} own alerts across its channels or topics: delete one first.',
        { count: all },
      ),
    );
  }
  const added = await places.rules.add(rule);
  record(msg('alert {id} created: {name}', { id: added.id, name: ruleName(added) }));
  return added;
}

/** Returns the place's rules that an id, or `all`, stands for. Throws UserError if there are none. */
export function findRules(id: string | undefined, existing: readonly Rule[]): readonly Rule[] {
  if (existing.length === 0) {
    throw new UserError(
      msg('This chat has no alerts of its own. Create one: {example}.', {
        example: typed(
          'alert create price.last above=100000 btc',
          'alert create metric:price.last above:100000 symbols:btc',
        ),
      }),
    );
  }
  const meant = id?.toLowerCase() === 'all' ? existing : existing.filter((rule) => rule.id === id);
  if (meant.length > 0) return meant;
  throw id === undefined
    ? new UserError(msg('Which one? There are: {ids}.', { ids: listOf(existing.map((rule) => rule.id)) }))
    : noSuchId(msg('No alert of this chat has the id "{id}"', { id }), existing);
}

/** Returns the place's one rule that an id stands for. Throws UserError if there is none or several. */
export function findRule(id: string | undefined, existing: readonly Rule[]): Rule {
  const [rule, ...others] = findRules(id, existing);
  if (rule === undefined || others.length > 0) {
    throw new UserError(msg('One at a time: give the id of one.'));
  }
  return rule;
}

const symbolsText = (symbols: readonly string[]): Text =>
  symbols.includes('*') ? msg('all markets') : listOf(symbols.map(marketName));

/** Says which markets the rule is about: the whole market, or the symbols that it names. */
export function marketsOf(rule: Rule): Text {
  const about = tryCompile(rule)?.about;
  return about === 'market' ? msg('the whole market') : symbolsText(rule.symbols);
}

function tryCompile(rule: Rule) {
  try {
    return compile(rule);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Says the condition in words: `24 h change below 0%`. A condition that cannot be read is returned as it is written. */
export function conditionText(rule: Rule): Text {
  const compiled = tryCompile(rule);
  return compiled === undefined ? rule.condition : conditionWords(compiled.condition);
}

/** Says whether the rule is judged, and if not, why. */
export function stateOf(rule: Rule, now: number): Text {
  if (tryCompile(rule) === undefined) return msg('cannot be read: edit it');
  if (rule.paused) return msg('paused');
  if (rule.expiresAt !== null && rule.expiresAt <= now) return msg('expired');
  return msg('on');
}

export function rulesTable(rules: readonly Rule[], now: number): NonNullable<Card['table']> {
  const { heading, cell } = fileColumn(rules);
  return {
    columns: [msg('Id'), msgIn('condition', 'When'), msg('Markets'), msg('For'), msg('State'), ...heading],
    rows: rules.map((rule) => [
      rule.id,
      rule.name ?? conditionText(rule),
      marketsOf(rule),
      rule.hold === 0 ? msg('at once') : span(rule.hold),
      stateOf(rule, now),
      ...cell(rule),
    ]),
  };
}

/** Builds the card of a rule with buttons for what can be done to it, and how it stands now if that is given. */
export function ruleCard(
  title: Text,
  {
    rule,
    now,
    manages,
    standing,
  }: {
    readonly rule: Rule;
    readonly now: number;
    readonly manages: boolean;
    readonly standing?: Text | undefined;
  },
): Card {
  const { id, hold, mode, expiresAt, severity } = rule;
  const clear = tryCompile(rule)?.clear();
  return {
    title,
    summary: msg('{when}, on {markets}.', { when: conditionText(rule), markets: marketsOf(rule) }),
    facts: [
      { name: msg('Id'), value: id },
      ...(rule.name === null ? [] : [{ name: msg('Name'), value: rule.name }]),
      ...(standing === undefined ? [] : [{ name: msg('Now'), value: standing }]),
      { name: msg('Condition'), value: rule.condition },
      ...(clear === undefined ? [] : [{ name: msg('Clears when'), value: conditionWords(clear) }]),
      { name: msg('For'), value: hold === 0 ? msg('at once') : span(hold) },
      {
        name: msg('How often'),
        value: mode === 'once' ? msg('once, then deleted') : msg('every time'),
      },
      ...(expiresAt === null ? [] : [{ name: msg('Until'), value: time(expiresAt) }]),
      { name: msg('Severity'), value: words(severity) },
      { name: msg('State'), value: stateOf(rule, now) },
      ...fileFact(rule),
    ],
    ...(manages && {
      actions: [
        ...(rule.file === undefined ? changesOf(rule) : []),
        { label: msg('All alerts in this chat'), command: 'alert list' },
      ],
    }),
  };
}

const changesOf = ({ id, paused }: Rule): CardAction<Text>[] => [
  paused
    ? { label: msg('Resume'), command: `alert resume id=${id}` }
    : { label: msg('Pause'), command: `alert pause id=${id}` },
  { label: msg('Delete'), command: `alert delete id=${id}`, weight: 'danger' },
];

/** Returns how the rule stands now in each market; undefined if there is no data. */
export async function standingsOf(
  rule: Rule,
  context: CommandContext,
): Promise<readonly Standing[] | undefined> {
  const { data, universe, store, caller, now, signal } = context;
  try {
    const followed = await store.watchlist.of(caller.receiver);
    return await look(rule, { data, universe, followed, now, signal });
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) return undefined;
    throw error;
  }
}

/** Says how the rule stands now, or that there is no data. */
export async function standingOf(rule: Rule, context: CommandContext): Promise<Text> {
  const standings = await standingsOf(rule, context);
  return standings === undefined ? msg('no data right now') : standingText(standings);
}

const maxNamed = 5;

function standingText(standings: readonly Standing[]): Text {
  const [first, ...others] = standings;
  if (first === undefined) return msg('no market named yet');
  if (others.length === 0) {
    const [value, ...more] = first.values;
    const is = value !== undefined && more.length === 0 ? msg('{name} is {value}', { ...value }) : undefined;
    if (first.holds === undefined) return is ?? msg('not known yet');
    const already = first.holds ? msg('already met: you’ll hear at the next crossing') : msg('not true');
    return is === undefined ? already : msg('{is}: {already}', { is, already });
  }
  const holding = standings
    .filter(({ holds }) => holds === true)
    .map(({ symbol }) => marketName(symbol ?? ''));
  if (holding.length === 0) {
    const unknown = standings.filter(({ holds }) => holds === undefined).length;
    if (unknown === 0) return msg('not met anywhere');
    if (unknown === standings.length) return msg('not known yet');
    return msg('not met now ({unknown, number} of {all, number} markets not checked yet)', {
      unknown,
      all: standings.length,
    });
  }
  return msg(
    'already met by {symbols}{more, plural, =0 {} one { and # more} other { and # more}}: you’ll hear at the next crossing',
    { symbols: listOf(holding.slice(0, maxNamed)), more: Math.max(0, holding.length - maxNamed) },
  );
}
