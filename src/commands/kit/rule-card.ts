import type { Rule } from '../../alert/rule.ts';
import type { Card, CardAction } from '../../card/card.ts';
import { marketName, span, time, words } from '../../language/format.ts';
import { listOf, msg, msgIn, type Text } from '../../language/text.ts';
import { conditionText, marketsOf, ruleText, stateOf } from '../../places/rules.ts';
import { tryCompile } from '../../rules/compile.ts';
import { look, type Standing } from '../../rules/look.ts';
import { conditionWords } from '../../rules/words.ts';
import { compact } from '../../runtime/compact.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { CommandContext } from '../../shell/command.ts';
import { fileColumn, fileFact } from './file-column.ts';

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

interface RuleCard {
  readonly title: Text;
  readonly now: number;
  readonly manages: boolean;
  /** How the rule stands now. */
  readonly standing?: Text | undefined;
}

/** Builds the card of a rule with buttons for what can be done to it, and how it stands now if that is given. */
export function ruleCard(rule: Rule, { title, now, manages, standing }: RuleCard): Card {
  const { id, hold, mode, expiresAt, severity } = rule;
  const clear = tryCompile(rule)?.clear();
  return {
    title,
    summary: ruleText(rule),
    facts: compact([
      { name: msg('Id'), value: id },
      rule.name !== null && { name: msg('Name'), value: rule.name },
      standing !== undefined && { name: msg('Now'), value: standing },
      { name: msg('Condition'), value: rule.condition },
      clear && { name: msg('Clears when'), value: conditionWords(clear) },
      { name: msg('For'), value: hold === 0 ? msg('at once') : span(hold) },
      { name: msg('How often'), value: mode === 'once' ? msg('once, then deleted') : msg('every time') },
      expiresAt !== null && { name: msg('Until'), value: time(expiresAt) },
      { name: msg('Severity'), value: words(severity) },
      { name: msg('State'), value: stateOf(rule, now) },
      ...fileFact(rule),
    ]),
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
