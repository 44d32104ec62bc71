import { type Alert, dataBlind, type Fact, type Labels, severityRank } from '../alert/alert.ts';
import { hookOfKind } from '../alert/hook.ts';
import { marketSymbol } from '../alert/outcome.ts';
import { kindOfRule } from '../alert/rule.ts';
import { kindsText } from '../alert/subscription.ts';
import { labelTitle, marketName, percent, span, words } from '../language/format.ts';
import { lines, listOf, msg, type Text } from '../language/text.ts';
import { median } from '../runtime/statistics.ts';
import { type AlertCardOptions, alertState, byRank, durationText, isPart, lateLine } from './alert-state.ts';
import { blindCard } from './blind-card.ts';
import type { Card } from './card.ts';
import { chartWithMoments } from './evidence.ts';
import { factsWithMarket, marketLinks, marketsOf } from './market-then.ts';

/**
 * Returns the card of one alert, or of a group posted together.
 *
 * @throws RangeError on an empty group
 */
export function alertCard(alerts: readonly Alert[], options: AlertCardOptions = {}): Card {
  const [first, ...others] = alerts;
  if (first === undefined) throw new RangeError('a card needs at least one alert');
  if (alerts.every(({ labels }) => labels.kind === dataBlind)) return blindCard(alerts, options);
  return others.length === 0 ? single(first, options) : group(alerts, options);
}

function single(alert: Alert, options: AlertCardOptions): Card {
  const { title, summary, facts, dataTime, market } = alert.annotations;
  const told = market === undefined ? facts : factsWithMarket(facts, market, alert.labels);
  return {
    title,
    summary: lines(
      partLine([alert]),
      progressLine(alert, options),
      alert.end?.summary ?? summary,
      lateLine(options),
    ),
    ...alertState([alert], options),
    facts: alert.status === 'resolved' ? atThePeak(told) : told,
    ...marketLinks(alert),
    ...chartWithMoments(alert),
    ...(alert.status !== 'resolved' && canBeNamed(alert) && { actions: actions(alert.labels, alert) }),
    dataTime,
  };
}

function group(alerts: readonly Alert[], options: AlertCardOptions): Card {
  const kinds = Map.groupBy(alerts, ({ labels }) => labels.kind);
  const names = [...kinds].map(
    ([kind, alertsOfKind]) =>
      alertsOfKind.find(({ annotations }) => annotations.inGroup)?.annotations.inGroup?.name ??
      kindsText([kind]),
  );
  const open = alerts.filter(({ status }) => status !== 'resolved');
  const ended = alerts.length - open.length;
  const shownAnnotations = (open.length > 0 ? open : alerts).map(({ annotations }) => annotations);
  const summary = commonItems(shownAnnotations.map((each) => [each.summary]));
  const common = commonItems(shownAnnotations.map((each) => each.facts));
  const ranked = alerts.toSorted(byRank);
  const { prices, links } = marketsOf(ranked);
  const facts = open.length > 0 ? [...prices, ...common] : atThePeak(common);
  const [subject] = open;
  const shown = ranked.find(({ annotations }) => annotations.chart !== undefined);
  return {
    title:
      changesTitle(alerts) ??
      msg('{n, plural, one {# alert} other {# alerts}}: {kinds}', {
        n: alerts.length,
        kinds: listOf(names),
      }),
    summary: lines(
      partLine(alerts),
      open.length === 0
        ? options.untold === true
          ? msg('All over.')
          : msg('All resolved.')
        : ended > 0
          ? openAndEnded(open.length, ended)
          : undefined,
      options.unknownFor === undefined ? undefined : unknownLine(options.unknownFor),
      ...summary,
      lateLine(options),
    ),
    ...alertState(alerts, options),
    ...(facts.length > 0 && { facts }),
    ...(links.length > 0 && { links }),
    table: {
      columns: [msg('Alert'), msg('Severity'), msg('Status')],
      rows: ranked.map((alert) => [
        alert.annotations.inGroup?.row ?? alert.annotations.title,
        labelTitle(alert.severity),
        statusText(alert),
      ]),
    },
    ...(shown !== undefined && chartWithMoments(shown)),
    ...(subject !== undefined &&
      kinds.size === 1 && { actions: actions(withoutSymbol(subject.labels), shown ?? subject) }),
    // The oldest time: no data in the card is older than this.
    dataTime: Math.min(...alerts.map(({ annotations }) => annotations.dataTime)),
  };
}

/** Returns the facts of an alert that is over, headed by whose they are: under its end they would seem to be the present ones. */
const atThePeak = (facts: readonly Fact[]): readonly Fact[] =>
  facts.length === 0 ? facts : [{ name: msg('Figures'), value: msg('from the peak of the alert') }, ...facts];

/**
 * Returns the title of a group: `OI unwinds in 20 markets, median −1.5%, BTC −1.3%`. Undefined: the alerts are not all
 * about changes of the same kind.
 */
function changesTitle(alerts: readonly Alert[]): Text | undefined {
  const all = alerts.flatMap(({ annotations: { inGroup } }) => inGroup ?? []);
  const changes = all.flatMap(({ change }) => change ?? []);
  const [name, ...others] = new Set(all.map((each) => JSON.stringify(each.name)));
  if (changes.length < alerts.length || others.length > 0 || name === undefined) return undefined;
  const leader = changes.find(({ symbol }) => symbol === marketSymbol);
  const values = {
    name: all[0]?.name ?? '',
    n: changes.length,
    median: percent(median(changes.map(({ pct }) => pct)), 1),
  };
  return leader === undefined
    ? msg('{name} in {n, number} markets, median {median}', values)
    : msg('{name} in {n, number} markets, median {median}, BTC {leader}', {
        ...values,
        leader: percent(leader.pct, 1),
      });
}

/** Returns what all alerts of a group say. The group says it once, above its table. */
function commonItems<Item extends object | string>(all: readonly (readonly Item[])[]): readonly Item[] {
  const texts = all.map((each) => new Set(each.map((one) => JSON.stringify(one))));
  return (all[0] ?? []).filter((one) => {
    const text = JSON.stringify(one);
    return texts.every((each) => each.has(text));
  });
}

export const openAndEnded = (open: number, ended: number): Text =>
  msg('{open, number} going on, {ended, number} resolved.', { open, ended });

function progressLine(alert: Alert, { unknownFor, untold }: AlertCardOptions): Text | undefined {
  const after = durationText(alert);
  if (alert.status === 'resolved') {
    const { title, unknown } = alert.end ?? { ...alert.annotations, unknown: undefined };
    const isEnded = unknown === true || untold === true;
    // An end without a title of its own adds nothing to the headline.
    if (JSON.stringify(title) === JSON.stringify(alert.event.title))
      return isEnded ? msg('Ended after {after}.', { after }) : msg('Resolved after {after}.', { after });
    const values = { after, end: title };
    return unknown === true
      ? msg('Ended: {end}.', values)
      : isEnded
        ? msg('Ended after {after}: {end}.', values)
        : msg('Resolved after {after}: {end}.', values);
  }
  if (unknownFor !== undefined) return unknownLine(unknownFor);
  if (alert.status === 'firing' || isPart(alert)) return undefined;
  const step = severityRank(alert.severity) - severityRank(alert.previousSeverity);
  if (step === 0) return msg('Going on for {after}.', { after });
  const from = words(alert.previousSeverity);
  const to = words(alert.severity);
  return step > 0
    ? msg('Escalated from {from} to {to} after {after}.', { from, to, after })
    : msg('Eased from {from} to {to} after {after}.', { from, to, after });
}

/** Returns an alert's status in words: `Firing`, `Resolved after 3 h`. */
export const statusText = (alert: Alert): Text =>
  alert.status === 'resolved'
    ? alert.end?.unknown === true
      ? msg('Ended after {after}, unknown', { after: durationText(alert) })
      : msg('Resolved after {after}', { after: durationText(alert) })
    : alert.partOf === undefined
      ? labelTitle(alert.status)
      : msg('In another message');

/**
 * Returns a line that names the event that all the alerts are a part of; its message shows the whole event. Undefined:
 * there is no such event.
 */
function partLine(alerts: readonly Alert[]): Text | undefined {
  const [event, ...others] = new Set(alerts.map(({ partOf }) => partOf?.id));
  const title = alerts[0]?.partOf?.title;
  return event === undefined || others.length > 0 || title === undefined
    ? undefined
    : msg('Part of: {alert}', { alert: title });
}

export const unknownLine = (ms: number): Text =>
  msg('Unknown: no fresh data for {age}. Last known values below.', { age: span(ms) });

/** Returns what every post says that is late or whose data is not fresh, whatever else it says. */
export const noticesOf = (options: AlertCardOptions): readonly Text[] =>
  [options.unknownFor === undefined ? undefined : unknownLine(options.unknownFor), lateLine(options)].filter(
    (line) => line !== undefined,
  );
const withoutSymbol = ({ symbol: _, ...labels }: Labels): Labels => labels;

/**
 * Returns the card that is left of a message that a newer one has replaced: one line, which links to the newer message
 * where the platform can.
 */
export const pointerCard = (
  alerts: readonly Alert[],
  { source, url }: Pick<AlertCardOptions, 'source'> & { readonly url: string | undefined },
): Card => ({
  title: msg('Continued in a newer message: {alert}', { alert: alertCard(alerts).title }),
  url,
  source,
});

/** A button says what it opens: the chart is the alert's own. Of an alert without one, it is its market as it is now. */
function chartAction(symbol: string | undefined, { id, annotations }: Alert): NonNullable<Card['actions']> {
  if (annotations.chart !== undefined) return [{ label: msg('Chart'), command: `chart ${id}` }];
  return symbol === undefined
    ? []
    : [{ label: msg('{symbol} now', { symbol: marketName(symbol) }), command: `coin ${symbol}` }];
}

/**
 * Returns whether commands know the alert's kind. They do not know those of the operator's daily posts, each of which is for one
 * place and of no rule and no hook.
 */
const canBeNamed = ({ only, labels: { kind, rule } }: Alert): boolean =>
  only === undefined || rule !== undefined || hookOfKind(kind) !== undefined;

/** Returns what people may want to do about an alert. Each action is a command, so that it works wherever cards are shown. */
function actions({ kind, symbol, rule }: Labels, shown: Alert): NonNullable<Card['actions']> {
  const subject = rule === undefined ? kind : kindOfRule(rule);
  const hook = hookOfKind(kind);
  const about = symbol === undefined ? subject : `${subject} ${symbol}`;
  return [
    ...(symbol === undefined && rule !== undefined
      ? [{ label: msg('Rule'), command: `alert show id=${rule}` }]
      : symbol === undefined && hook !== undefined
        ? [{ label: msg('Hook'), command: `hook show id=${hook}` }]
        : chartAction(symbol, shown)),
    { label: msg('Why'), command: symbol === undefined ? `why ${kind}` : `why ${kind} ${symbol}` },
    { label: msg('Silence ▸'), command: `silence ${about}` },
  ];
}
