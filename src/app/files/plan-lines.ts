import { type Rule, ruleName } from '../../alert/rule.ts';
import { matcherText, type Receiver, type Subscription } from '../../alert/subscription.ts';
import type { Watchlist } from '../../alert/watchlist.ts';
import { plainReader, say } from '../../language/say.ts';
import { msg, type Text } from '../../language/text.ts';
import { preferencesText } from '../../places/arrival.ts';
import { changedText, subscribedText } from '../../places/subscriptions.ts';
import { watchlistAudit } from '../../places/watchlists.ts';
import type { FileChanges } from '../../store/ports.ts';
import type { Plan, Step } from './plan.ts';

const aboutSubscription = (subscription: Subscription): Text =>
  [matcherText(subscription), preferencesText(subscription)].map((text) => say(text, plainReader)).join(', ');

/** Summarises the plan: `+3 subscriptions, ~1 alert, −2 alerts`. Undefined if there is nothing to do. */
export function planSummary({ subscriptions, rules, watchlists }: Plan): string | undefined {
  const counts = [
    ...countSteps(subscriptions, ['subscription', 'subscriptions']),
    ...countSteps(rules, ['alert', 'alerts']),
    ...countSteps(watchlists, ['watchlist', 'watchlists']),
  ];
  return counts.length === 0 ? undefined : counts.join(', ');
}

const marks = { add: '+', change: '~', remove: '−' } as const;

function countSteps(
  steps: readonly Step<unknown>[],
  [singular, plural]: readonly [one: string, more: string],
): string[] {
  return (['add', 'change', 'remove'] as const).flatMap((act) => {
    const count = steps.filter((step) => step.act === act).length;
    return count === 0 ? [] : [`${marks[act]}${count} ${count === 1 ? singular : plural}`];
  });
}

/** Writes one line per step of the plan. @param shown returns a receiver without the secret parts of its address */
export function planLines(plan: Plan, shown: (receiver: Receiver) => Receiver): string[] {
  const line = <Thing extends Subscription | Rule | Watchlist>(
    step: Step<Thing>,
    { what, about }: { readonly what: string; readonly about: (thing: Thing) => Text },
  ): string => {
    const thing = step.act === 'remove' ? step.from : step.to;
    const { notifier, address } = shown(thing.receiver);
    const where = step.act === 'remove' ? step.from.file : `${step.origin.file}:${step.origin.line}`;
    const place = [notifier, ...Object.values(address)].join(' ');
    const describe = (each: Thing) => say(about(each), plainReader);
    const before =
      step.act !== 'change' || describe(step.from) === describe(step.to)
        ? ''
        : ` (was: ${describe(step.from)})`;
    const takeOver = step.act === 'change' ? takeOverText(step.from, step.to) : '';
    return `${marks[step.act]} ${where}  ${place}  ${what} ${describe(thing)}${before}${takeOver}`;
  };
  return [
    ...plan.subscriptions.map((step) => line(step, { what: 'subscription', about: aboutSubscription })),
    ...plan.rules.map((step) => line(step, { what: 'alert', about: aboutRule })),
    ...plan.watchlists.map((step) => line(step, { what: 'watchlist', about: aboutWatchlist })),
  ];
}

function takeOverText(from: { file?: string }, to: { file?: string }): string {
  if (from.file === undefined) return ' (made in the chat: the file takes it over)';
  return from.file === to.file ? '' : ` (so far in ${from.file})`;
}

const aboutWatchlist = ({ symbols }: Watchlist): Text => symbols.join(' ');

/** Describes everything that a file decides about a rule. */
const aboutRule = (rule: Rule): Text =>
  [
    ruleName(rule) === rule.condition ? rule.condition : `“${ruleName(rule)}”: ${rule.condition}`,
    rule.symbols.length > 0 ? rule.symbols.join(' ') : undefined,
    rule.clear === null ? undefined : `clears: ${rule.clear}`,
    rule.hold > 0 ? `for ${rule.hold / 1_000} s` : undefined,
    rule.severity,
    rule.expiresAt === null ? undefined : `until ${new Date(rule.expiresAt).toISOString()}`,
    rule.paused ? 'paused' : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(', ');

/** Returns the entries of these changes for the places’ audits. */
export const recordsOf = ({
  subscriptions,
  rules,
  watchlists,
}: Omit<FileChanges, 'records'>): FileChanges['records'] => [
  ...recorded(subscriptions, {
    added: subscribedText,
    changed: changedText,
    removed: (each) => msg('ended subscription {id}: {what}', { id: each.id, what: matcherText(each) }),
  }),
  ...recorded(rules, {
    added: (each) => msg('alert {id} created: {name}', { id: each.id, name: ruleName(each) }),
    changed: (each) => msg('alert {id} changed: {name}', { id: each.id, name: ruleName(each) }),
    removed: (each) => msg('alert {id} deleted: {name}', { id: each.id, name: ruleName(each) }),
  }),
  ...recorded(watchlists, {
    added: ({ symbols }) => watchlistAudit(symbols),
    changed: ({ symbols }) => watchlistAudit(symbols),
    removed: () => watchlistAudit([]),
  }),
];

type Changes<Thing> = Readonly<Record<'added' | 'changed' | 'removed', readonly Thing[]>>;

const recorded = <Thing extends Pick<Watchlist, 'receiver' | 'file'>>(
  changes: Changes<Thing>,
  texts: Readonly<Record<keyof Changes<Thing>, (thing: Thing) => Text>>,
): FileChanges['records'] =>
  (['removed', 'changed', 'added'] as const).flatMap((act) =>
    changes[act].flatMap((each) =>
      // Files change only things that have a file.
      each.file === undefined ? [] : [{ receiver: each.receiver, who: each.file, what: texts[act](each) }],
    ),
  );
