import { revise } from '../../alert/alert.ts';
import { defaultPreset, presetKinds, presets } from '../../alert/presets.ts';
import { ownRule, type Rule } from '../../alert/rule.ts';
import { alertCard } from '../../card/alert-card.ts';
import { sayCard } from '../../card/say-card.ts';
import { onlyReading } from '../../commands/kit/sentence.ts';
import { UserError } from '../../language/errors.ts';
import { words } from '../../language/format.ts';
import { type Reader, say } from '../../language/say.ts';
import { msg, type Text } from '../../language/text.ts';
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
import type { Caller, CommandContext } from '../../shell/command.ts';
import { authorOf, editingOf } from '../../shell/editing.ts';
import { clearing, includesAll, splitList } from '../../shell/input.ts';
import { writeLine } from '../../shell/parse.ts';
import type { Store } from '../../store/ports.ts';
import type { Answering } from '../answer-commands.ts';

interface RuleDeskOptions extends Pick<CommandContext, 'kinds' | 'preview'> {
  readonly store: CommandContext['store'] & { readonly log: Pick<Store['log'], 'page'> };
  readonly ask: Answering['ask'];
  readonly contextOf: Answering['contextOf'];
  readonly reader: Answering['reader'];
  /** Tracked symbols, the largest volume first. */
  readonly universe: () => readonly string[];
  /** Market time, ms. */
  readonly now: () => number;
  readonly source: () => Text;
}

/** The most firing alerts of a place's rules that are counted. */
const maxFiring = 1_000;

/** Creates what the page shows of own alerts and presets, with the commands' numbers and words, and saves what it builds. */
export function createRuleDesk(options: RuleDeskOptions): RuleDesk {
  const { ask, contextOf, reader, universe } = options;
  return {
    async read(caller) {
      const { language, timeZone } = await reader(caller);
      const translate = (text: Text) => say(text, { language, timeZone });
      const [rules, presetCounts] = await Promise.all([
        rulesOf(caller, { ...options, translate }),
        presetsOf({ ...options, translate }),
      ]);
      return { metrics: metricsOf(translate), markets: universe(), rules, ...presetCounts };
    },

    async draft(asked, caller) {
      const callerReader = await reader(caller);
      try {
        const rule = await ruleOf(asked, { ...options, caller });
        return buildDraft(asked, { ...options, rule, callerReader });
      } catch (error) {
        if (error instanceof UserError) return { problem: say(error.text, callerReader) };
        throw error;
      }
    },

    async understand(sentence, caller) {
      const callerReader = await reader(caller);
      try {
        const { mode, ...reading } = onlyReading(sentence, universe());
        if (mode !== undefined)
          throw new UserError(msg('An alert made here fires every time: leave "once" out.'));
        const rule = buildRule(reading, authorOf({ caller, now: options.now() }));
        return { said: say(ruleSentence(rule), callerReader), ...termsOf(rule) };
      } catch (error) {
        if (error instanceof UserError) return { problem: say(error.text, callerReader) };
        throw error;
      }
    },

    async save(asked, caller) {
      const context = await contextOf(caller);
      const editing = editingOf(context);
      const line = lineOf(asked, await ruleOf(asked, { ...options, caller }));
      const given = givenOf(asked, universe);
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
  {
    now,
    universe,
    source,
    rule,
    callerReader,
  }: Pick<RuleDeskOptions, 'now' | 'source' | 'universe'> & {
    readonly rule: Rule;
    readonly callerReader: Reader;
  },
): CompleteDraft {
  const at = now();
  const compiled = compile(rule);
  const symbol = compiled.about === 'market' ? undefined : (firstNamedMarket(rule) ?? universe()[0]);
  const facts = exampleFacts(compiled, { symbol, value: asked.value, time: at });
  const change = ruleChange({ compiled, symbol }, { facts, now: at, evidence: noEvidence });
  const alert = revise(undefined, change, at);
  return {
    line: lineOf(asked, rule),
    sentence: say(ruleSentence(rule), callerReader),
    clears: say(conditionWords(compiled.clear()), callerReader),
    card: sayCard({ ...alertCard(alert === null ? [] : [alert]), source: source() }, callerReader),
  };
}

/** Writes the line by which a person would save the draft in a chat. Throws UserError. */
function lineOf(asked: DraftRequest, rule: Rule): string {
  const { id, value: _, symbols, ...given } = typedValues(asked);
  const about = compile(rule).about === 'market' ? {} : { symbols };
  const line = writeLine('alert', { action: id === undefined ? 'create' : 'edit', id, ...given, ...about });
  if (line === undefined) throw new UserError(msg('Use only one kind of quotation marks.'));
  // As people type it: the first argument needs no name.
  return line.replace('action=', '');
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

const metricsOf = (translate: (text: Text) => string): Desk['metrics'] =>
  metricNames.flatMap((name) => {
    const { about, unit, slack, range, words, description } = metricOf(name);
    if (slack === undefined) return [];
    const of = { unit, slack, range };
    return [{ name, about, words: translate(words), description: translate(description), ...of }];
  });

async function rulesOf(
  { receiver }: Caller,
  { store, now, translate }: RuleDeskOptions & { readonly translate: (text: Text) => string },
): Promise<Desk['rules']> {
  const [rules, firing] = await Promise.all([
    store.rules.of(receiver),
    store.log.page({ receiver, firing: true, kind: ownRule, limit: maxFiring }),
  ]);
  return rules.map((rule) => {
    const { clear } = conditionInputOf(rule);
    return {
      id: rule.id,
      name: rule.name ?? translate(conditionText(rule)),
      ...termsOf(rule),
      markets: translate(marketsOf(rule)),
      state: translate(stateOf(rule, now())),
      paused: rule.paused,
      firing: firing.filter(({ alert }) => alert.labels.rule === rule.id).length,
      ...(typeof clear === 'number' && { clear: digits.format(clear) }),
      ...(typeof clear === 'string' && { clear }),
      severity: rule.severity,
      ...(rule.file !== undefined && { file: rule.file }),
    };
  });
}

/** Returns what the form that builds alerts is filled with. */
function termsOf(rule: Rule): Pick<DeskRule, 'condition' | 'simple' | 'symbols' | 'hold'> {
  const simple = simpleOf(rule.condition);
  return {
    condition: rule.condition,
    ...(simple !== undefined && { simple }),
    symbols: rule.symbols,
    hold: typedLength(rule.hold),
  };
}

/**
 * Counts the posts of each preset per day over all markets, if the past is known already. Otherwise a later call has
 * the counts.
 */
async function presetsOf({
  kinds,
  preview,
  translate,
}: RuleDeskOptions & { readonly translate: (text: Text) => string }): Promise<
  Pick<Desk, 'days' | 'presets'>
> {
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
        words: translate(words(name)),
        minSeverity,
        kinds: presetKinds(name, kinds),
        ...(posts !== undefined && days !== undefined && { perDay: posts / days }),
      };
    }),
  };
}

/** Returns what the draft gives of a rule. Throws UserError. */
function givenOf(
  { metric, above, below, when, clear, severity, symbols, for: hold, id }: DraftRequest,
  universe: () => readonly string[],
): GivenRule {
  if (metric !== undefined && !isMetric(metric)) throw unknownMetricError(metric);
  const markets = splitList(symbols ?? universe()[0] ?? '*');
  return {
    ...{ metric, above, below, when, severity },
    clear: clear === undefined ? undefined : clearing.parse(clear),
    symbols: symbols === undefined && id !== undefined ? undefined : includesAll(markets) ? ['*'] : markets,
    for: hold === undefined ? undefined : parseDuration(hold),
  };
}

/** Returns the new or changed rule that the draft describes. Throws UserError with what is missing or wrong. */
async function ruleOf(
  asked: DraftRequest,
  { caller, now, universe, store }: Pick<RuleDeskOptions, 'now' | 'store' | 'universe'> & { caller: Caller },
): Promise<Rule> {
  const given = givenOf(asked, universe);
  const { id } = asked;
  if (id === undefined) return buildRule(given, authorOf({ caller, now: now() }));
  return changedRule(findRule({ id }, await store.rules.of(caller.receiver)), given, now());
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
