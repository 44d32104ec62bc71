import type { Annotations, Change } from '../alert/alert.ts';
import { ownRule, type Rule } from '../alert/rule.ts';
import { maxDataGap } from '../detectors/detector.ts';
import { coverageFacts } from '../detectors/kit/tape.ts';
import { marketName, price as priceText, span, time } from '../language/format.ts';
import { join, listOf, msg, type Text } from '../language/text.ts';
import type { Compiled } from './compile.ts';
import { areLiquidations, type Evidence, evidenceChart } from './evidence.ts';
import { excessOf } from './excess.ts';
import { factKey, type KnownFacts } from './facts.ts';
import type { OrphanReason } from './judge.ts';
import { metricOf } from './metrics.ts';
import type { Pair } from './rule-group.ts';
import { comparisonOf, conditionWords, levelWords, valueWords } from './words.ts';

/** The longest condition that stands in a title, characters. A longer one is only in the summary. */
const maxTitleLength = 80;

/** What is known when a rule's transition is put into words. `lasted`: the alert has ended, after so many ms. */
interface Moment {
  readonly facts: KnownFacts;
  readonly now: number;
  readonly lasted?: number | undefined;
  readonly evidence: Evidence;
}

/** Returns the change of an alert whose rule's condition became true or, with `lasted`, whose end has come. */
export function ruleChange({ compiled, symbol }: Pair, { facts, now, lasted, evidence }: Moment): Change {
  const { rule, condition, metrics } = compiled;
  const known = metrics.flatMap((metric) => {
    const fact = facts[factKey(metric, symbol)];
    return fact === undefined ? [] : [{ metric, ...fact }];
  });
  const values = listOf(
    known.map((fact) =>
      join([metricOf(fact.metric).words, valueWords(fact, compiled.levels.get(fact.metric) ?? [])], ' '),
    ),
  );
  // The alert is as old as the oldest of its facts.
  const dataTime = known.length === 0 ? now : Math.min(...known.map((fact) => fact.time));
  const excess = excessOf(condition, (metric) => facts[factKey(metric, symbol)]?.value);
  const compared = comparisonOf(condition.ast);
  const isInTitle = rule.name === null && compared !== undefined && known.length > 0;
  const price = symbol === undefined || metrics.includes('price.last') ? undefined : evidence.prices[symbol];
  const chart = evidenceChart(evidence, symbol, compared);
  return ruleAlertChange(lasted === undefined ? 'firing' : 'resolved', {
    ...rule,
    symbol,
    annotations: {
      title:
        lasted !== undefined
          ? withMarket(symbol, values)
          : isInTitle
            ? withMarket(
                symbol,
                msg('{values} (your alert: {level})', { values, level: levelWords(compared) }),
              )
            : headlineWithMarket(symbol, headline(compiled)),
      summary: summary(compiled, { isInTitle, ended: lasted !== undefined }),
      facts: [
        ...(isInTitle || known.length === 0 ? [] : [{ name: msg('Values'), value: values }]),
        ...(price === undefined ? [] : [{ name: msg('Price'), value: priceText(price) }]),
        ...(metrics.some(areLiquidations) ? coverageFacts(evidence.coverage) : []).map(([name, value]) => ({
          name,
          value,
        })),
        { name: msg('As of'), value: time(dataTime) },
      ],
      chart,
      prominence: excess,
      ...(symbol !== undefined && {
        inGroup: { name: rule.name ?? conditionWords(condition), row: withMarket(symbol, values) },
      }),
      dataTime,
    },
  });
}

/** Returns a text after the name of its market: `NEAR 24 h change −1.02%`. */
const withMarket = (symbol: string | undefined, what: Text): Text =>
  symbol === undefined ? what : join([marketName(symbol), what], ' ');

/** Returns a name after that of its market: `NEAR: Breakout`. */
const headlineWithMarket = (symbol: string | undefined, name: Text): Text =>
  symbol === undefined ? name : msg('{symbol}: {name}', { symbol: marketName(symbol), name });

const headline = ({ rule: { name }, condition }: Compiled): Text =>
  name ??
  (condition.text.length > maxTitleLength ? msg('your alert has triggered') : conditionWords(condition));

/**
 * Returns the summary: the rule's condition, and when its alert clears.
 *
 * @param isInTitle the title says what the rule is
 */
function summary(
  { rule, condition, clear }: Compiled,
  { isInTitle, ended }: { readonly isInTitle: boolean; readonly ended: boolean },
): Text {
  const { hold } = rule;
  const values = { condition: conditionWords(condition), hold: span(hold) };
  const conditionText =
    hold > 0 ? msg('Your alert: {condition}, for {hold}.', values) : msg('Your alert: {condition}.', values);
  if (ended) return conditionText;
  const ending = clear();
  // The opposite of a longer condition says nothing that the condition itself does not.
  const clears =
    rule.clear === null && comparisonOf(ending.ast) === undefined
      ? undefined
      : msg('Clears when: {condition}.', { condition: conditionWords(ending) });
  return join([isInTitle && hold === 0 && clears !== undefined ? undefined : conditionText, clears], ' ');
}

/** Returns the end of an alert that is no longer judged. Whether its condition still holds is not known. */
export function orphanedEnd(
  rule: Pick<Rule, 'id' | 'receiver' | 'severity'>,
  {
    symbol,
    reason,
    now,
  }: { readonly symbol: string | undefined; readonly reason: OrphanReason; readonly now: number },
): Change {
  const values = { symbol: marketName(symbol ?? ''), span: span(maxDataGap) };
  const summaries: Readonly<Record<OrphanReason, Text>> = {
    rule: msg('It was deleted, paused, changed or has expired, so it is no longer watched.'),
    market: msg(
      '{symbol} is no longer among the markets of this alert, so it is not watched there any more.',
      values,
    ),
    data: msg('For more than {span} there has been too little to say whether it goes on.', values),
  };
  return ruleAlertChange('resolved', {
    ...rule,
    symbol,
    annotations: {
      title:
        symbol === undefined ? msg('Your alert has ended') : msg('{symbol}: your alert has ended', values),
      summary: summaries[reason],
      unknown: true,
      facts: [],
      dataTime: now,
    },
  });
}

interface RuleAlert extends Pick<Rule, 'id' | 'receiver' | 'severity'> {
  readonly symbol: string | undefined;
  readonly annotations: Annotations;
}

const ruleAlertChange = (
  status: Change['status'],
  { id, receiver, severity, symbol, annotations }: RuleAlert,
): Change => ({
  status,
  labels: { kind: ownRule, rule: id, ...(symbol !== undefined && { symbol }) },
  severity,
  only: receiver,
  annotations,
});
