import { revise } from '../../alert/alert.ts';
import { defaultPreset, presetKinds, presets } from '../../alert/presets.ts';
import { ownRule, type Rule } from '../../alert/rule.ts';
import { alertCard } from '../../card/alert-card.ts';
import { sayCard } from '../../card/say-card.ts';
import { onlyReading } from '../../commands/kit/sentence.ts';
import { UserError } from '../../language/errors.ts';
import { words } from '../../language/format.ts';
import { say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import {
  buildRule,
  changedRule,
  conditionText,
  createRule,
  editRule,
  findRule,
  type GivenRule,
  marketsOf,
  ruleSentence,
  stateOf,
} from '../../places/rules.ts';
import type {
  CompleteDraft,
  Desk,
  DeskRule,
  DraftRequest,
  RuleDesk,
} from '../../platforms/web/ports/rule-desk.ts';
import { ruleChange } from '../../rules/alert-change.ts';
import { compile } from '../../rules/compile.ts';
import { noEvidence } from '../../rules/evidence.ts';
import { unknownMetricError } from '../../rules/expression-errors.ts';
import { factKey, type KnownFacts } from '../../rules/facts.ts';
import { isMetric, metricNames, metricOf } from '../../rules/metrics.ts';
import { conditionInputOf, simpleOf } from '../../rules/simple.ts';
import { comparisonOf, conditionWords } from '../../rules/words.ts';
import { day, parseDuration, typedLength } from '../../runtime/units.ts';
import type { Caller } from '../../shell/command.ts';
import { authorOf, editingOf } from '../../shell/editing.ts';
import { clearing, includesAll, splitList } from '../../shell/input.ts';
import { writeLine } from '../../shell/parse.ts';
import type { Store } from '../../store/ports.ts';
import type { Answering } from '../answer-commands.ts';

interface RuleDeskOptions extends Pick<Answering, 'ask' | 'contextOf'> {
  readonly log: Pick<Store['log'], 'page'>;
}

type Context = Awaited<ReturnType<Answering['contextOf']>>;

/** The most firing alerts of a place's rules that are counted. */
const maxFiring = 1_000;

/** Creates what the page shows of own alerts and presets, with the commands' numbers and words, and saves what it builds. */
export function createRuleDesk({ ask, contextOf, log }: RuleDeskOptions): RuleDesk {
  /** Returns what is made of what somebody typed, or what is wrong with that. */
  const orProblem = async <Made>(caller: Caller, make: (context: Context) => Made | Promise<Made>) => {
    const context = await contextOf(caller);
    try {
      return await make(context);
    } catch (error) {
      if (error instanceof UserError) return { problem: say(error.text, context.caller) };
      throw error;
    }
  };
  return {
    async read(caller) {
      const context = await contextOf(caller);
      const [rules, presetCounts] = await Promise.all([rulesOf(context, log), presetsOf(context)]);
      return { metrics: metricsOf(context), markets: context.listed, rules, ...presetCounts };
    },

    draft: (asked, caller) =>
      orProblem(caller, async (context) => buildDraft(asked, await ruleOf(asked, context), context)),

    understand: (sentence, caller) =>
      orProblem(caller, (context) => {
        const { mode, ...reading } = onlyReading(sentence, context.listed);
        if (mode !== undefined)
          throw new UserError(msg('An alert made here fires every time: leave "once" out.'));
        const rule = buildRule(reading, authorOf(context));
        return { said: say(ruleSentence(rule), context.caller), ...termsOf(rule) };
      }),

    async save(asked, caller) {
      const context = await contextOf(caller);
      const editing = editingOf(context);
      const line = lineOf(asked, await ruleOf(asked, context));
      const given = givenOf(asked, context.listed);
      const { id } = asked;
      const { title, summary } =
        id === undefined
          ? await createRule(buildRule(given, editing.author), editing)
          : await editRule({ id }, given, editing);
      return { line, card: sayCard({ title, summary }, context.caller) };
    },

    async preview(asked, caller) {
      const { value: _, id: __, ...input } = typedValues(asked);
      const { later, ...first } = await ask(
        { name: 'alert', input: { action: 'create', ...input, preview: 'yes' } },
        caller,
      );
      return (await later) ?? first;
    },
  };
}

/** Writes a draft as a line, a sentence and an example card. Throws UserError. */
function buildDraft(
  asked: DraftRequest,
  rule: Rule,
  { caller, listed, now, source }: Context,
): CompleteDraft {
  const compiled = compile(rule);
  const symbol = compiled.about === 'market' ? undefined : (firstNamedMarket(rule) ?? listed[0]);
  const facts = exampleFacts(compiled, { symbol, value: asked.value, time: now });
  const change = ruleChange({ compiled, symbol }, { facts, now, evidence: noEvidence });
  const alert = revise(undefined, change, now);
  return {
    line: lineOf(asked, rule),
    sentence: say(ruleSentence(rule), caller),
    clears: say(conditionWords(compiled.clear()), caller),
    card: sayCard({ ...alertCard(alert === null ? [] : [alert]), source: source() }, caller),
  };
}

/** Writes the line by which a person would save the draft in a chat. Throws UserError. */
function lineOf(asked: DraftRequest, rule: Rule): string {
  const { id, value: _, symbols, ...given } = typedValues(asked);
  const about = compile(rule).about === 'market' ? {} : { symbols };
  const line = writeLine('alert', { action: id === undefined ? 'create' : 'edit', id, ...given, ...about });
  if (line === undefined) throw new UserError(msg('Use only one kind of quotation marks.'));
  return line;
}

/** Writes levels as they are typed: without an exponent. */
const digits = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 12 });
/** Converts the values of a draft to the text that a person would type. */
const typedValues = (asked: DraftRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(asked).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, typeof value === 'number' ? digits.format(value) : value]],
    ),
  );

const metricsOf = ({ caller }: Context): Desk['metrics'] =>
  metricNames.flatMap((name) => {
    const { about, unit, slack, range, words, description } = metricOf(name);
    if (slack === undefined) return [];
    const of = { unit, slack, range };
    return [{ name, about, words: say(words, caller), description: say(description, caller), ...of }];
  });

async function rulesOf({ caller, now, store }: Context, log: RuleDeskOptions['log']): Promise<Desk['rules']> {
  const { receiver } = caller;
  const [rules, firing] = await Promise.all([
    store.rules.of(receiver),
    log.page({ receiver, firing: true, kind: ownRule, limit: maxFiring }),
  ]);
  return rules.map((rule) => {
    const { clear } = conditionInputOf(rule);
    return {
      id: rule.id,
      name: rule.name ?? say(conditionText(rule), caller),
      ...termsOf(rule),
      markets: say(marketsOf(rule), caller),
      state: say(stateOf(rule, now), caller),
      paused: rule.paused,
      firing: firing.filter(({ alert }) => alert.labels.rule === rule.id).length,
      clear: typeof clear === 'number' ? digits.format(clear) : (clear ?? undefined),
      severity: rule.severity,
      file: rule.file,
    };
  });
}

/** Returns what the form that builds alerts is filled with. */
function termsOf(rule: Rule): Pick<DeskRule, 'condition' | 'simple' | 'symbols' | 'hold'> {
  return {
    condition: rule.condition,
    simple: simpleOf(rule.condition),
    symbols: rule.symbols,
    hold: typedLength(rule.hold),
  };
}

/**
 * Counts the posts of each preset per day over all markets, if the past is known already. Otherwise a later call has
 * the counts.
 */
async function presetsOf({ caller, kinds, preview }: Context): Promise<Pick<Desk, 'days' | 'presets'>> {
  const usualSeverity = presets.find(({ name }) => name === defaultPreset)?.minSeverity ?? 'warning';
  const wish = { kinds: presetKinds(defaultPreset, kinds), symbols: ['*'], minSeverity: usualSeverity };
  const past = await preview(wish);
  const known = past.state === 'known' ? past : undefined;
  // From less than one day of the past, the posts per day would be a guess.
  const covered = known === undefined ? 0 : (known.to - known.from) / day;
  const days = covered < 1 ? undefined : covered;
  return {
    days,
    presets: presets.map(({ name, minSeverity }) => {
      const posts = known?.presets?.find((each) => each.name === name)?.posts;
      return {
        name,
        words: say(words(name), caller),
        minSeverity,
        kinds: presetKinds(name, kinds),
        perDay: posts === undefined || days === undefined ? undefined : posts / days,
      };
    }),
  };
}

/** Returns what the draft gives of a rule. Throws UserError. */
function givenOf(
  { metric, above, below, when, clear, severity, symbols, for: hold, id }: DraftRequest,
  listed: readonly string[],
): GivenRule {
  if (metric !== undefined && !isMetric(metric)) throw unknownMetricError(metric);
  const markets = splitList(symbols ?? listed[0] ?? '*');
  return {
    ...{ metric, above, below, when, severity },
    clear: clear === undefined ? undefined : clearing.parse(clear),
    symbols: symbols === undefined && id !== undefined ? undefined : includesAll(markets) ? ['*'] : markets,
    for: hold === undefined ? undefined : parseDuration(hold),
  };
}

/** Returns the new or changed rule that the draft describes. Throws UserError with what is missing or wrong. */
async function ruleOf(asked: DraftRequest, context: Context): Promise<Rule> {
  const given = givenOf(asked, context.listed);
  const { id } = asked;
  if (id === undefined) return buildRule(given, authorOf(context));
  const rules = await context.store.rules.of(context.caller.receiver);
  return changedRule(findRule({ id }, rules), given, context.now);
}

/** Returns the first market that a rule names by its symbol, not by a group. */
const firstNamedMarket = ({ symbols }: Rule): string | undefined =>
  symbols.find((each) => /^[A-Z0-9]+$/.test(each));

/**
 * Returns an example value for the one number that the condition compares, for the example card. Empty if there is no
 * such number.
 */
function exampleFacts(
  { condition }: ReturnType<typeof compile>,
  {
    symbol,
    value,
    time,
  }: { readonly symbol: string | undefined; readonly value: number | undefined; readonly time: number },
): KnownFacts {
  const compared = comparisonOf(condition.ast);
  const exampleValue = value ?? compared?.level;
  return compared === undefined || exampleValue === undefined
    ? {}
    : { [factKey(compared.metric, symbol)]: { value: exampleValue, time } };
}
