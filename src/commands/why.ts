import { z } from 'zod';
import type { Alert, Fact, Labels } from '../alert/alert.ts';
import { hookOfKind } from '../alert/hook.ts';
import type { ReasonCode } from '../alert/reason.ts';
import { isOfKind, matcherText, wants } from '../alert/subscription.ts';
import { labelTitle, marketName, time, words } from '../language/format.ts';
import { join, lines, listOf, msg, type Text, typed } from '../language/text.ts';
import { levelText } from '../places/arrival.ts';
import { readKnownKinds } from '../places/editing.ts';
import { conditionText } from '../places/rules.ts';
import { silenceText } from '../places/silences.ts';
import { day } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { ownKind, symbol } from '../shell/input.ts';
import type { Delivery } from '../store/ports.ts';
import { activeSubscriptions, readHeldBack, waitingFact } from './kit/unsent.ts';

const maxDeliveries = 10;
/** The most deliveries that are searched for those of one kind or market. */
const maxSearched = 200;
/** The most alerts held back by a broader alert that are shown. The command `missed` lists all. */
const maxHeldBack = 5;

export default defineCommand({
  name: 'why',
  topic: 'past',
  description: msg('Why the last alert came here, was held back, or why there was none'),
  input: z.object({
    kind: ownKind.describe('Only alerts of this kind').optional(),
    symbol: symbol.describe('Only what concerns this market').optional(),
  }),
  async run({ kind, symbol }, context) {
    const { store, caller, now } = context;
    const concerns = (labels: Labels | undefined) =>
      (kind === undefined || (labels !== undefined && isOfKind([kind], labels))) &&
      (symbol === undefined || labels?.symbol === symbol);
    const isUnfiltered = kind === undefined && symbol === undefined;
    const [deliveries, silences, waiting, heldBack, known] = await Promise.all([
      store.deliveries.recent(caller.receiver, isUnfiltered ? maxDeliveries : maxSearched),
      store.silences.of(caller.receiver, now),
      store.deliveries.waiting(caller.receiver, isUnfiltered ? maxDeliveries : maxSearched),
      readHeldBack(context, now - day),
      readKnownKinds(context.caller.receiver, context),
    ]);
    const matching = deliveries.filter(({ alert }) => concerns(alert?.labels));
    const matchingHeldBack = heldBack.filter(({ alert }) => concerns(alert.labels));
    const [last, ...earlier] = matching.slice(0, maxDeliveries);
    return {
      title:
        last === undefined
          ? msg('No alert here yet')
          : msg('{outcome}: {alert}', { outcome: labelTitle(last.outcome), alert: last.title }),
      summary:
        last !== undefined
          ? explanation(last)
          : matchingHeldBack.length > 0
            ? msg('Alerts for this chat were held back:')
            : await absenceText({ kind, symbol, concerns }, context),
      facts: [
        ...(last === undefined ? [] : [{ name: msg('When'), value: time(last.at) }]),
        ...(last?.alert === undefined ? [] : await groundFacts(last.alert, context)),
        ...matchingHeldBack.slice(0, maxHeldBack).map(({ alert, reason }) => ({
          name: alert.annotations.title,
          value: msg('Not sent: {reason}.', { reason }),
        })),
        ...waiting
          .filter(({ labels }) => concerns(labels))
          .slice(0, maxDeliveries)
          .map(waitingFact),
        ...silences.map((silence) => ({ name: msg('Silent'), value: silenceText(silence, known) })),
      ],
      table: {
        columns: [msg('Before it'), msg('Outcome'), msg('Reason'), msg('When')],
        rows: earlier.map((each) => [
          each.title,
          labelTitle(each.outcome),
          each.reason?.text ?? '',
          time(each.at),
        ]),
      },
    };
  },
});

/** What a reason means and what a person can do about it, for reasons whose own text does not say so. */
const meanings: Partial<Record<ReasonCode, Text>> = {
  silenced: msg('"{list}" lists the silences, "{end}" ends one.', {
    list: typed('subscriptions'),
    end: typed('unsilence'),
  }),
  quiet_hours: msg('"{list}" shows the quiet hours.', { list: typed('subscriptions') }),
  over_before_morning: msg('It began and ended within the quiet hours: "{list}" shows them.', {
    list: typed('subscriptions'),
  }),
  sent_at_once: msg('Critical alerts come at once, and not again in a digest.'),
  unsubscribed: msg('The subscription it was for has ended or is paused.'),
  already_sent: msg('The same was sent here before.'),
  start_not_sent: msg('You weren’t told it began, so its end was left out.'),
  held_back: msg('A broader alert already says it.'),
  part_of: msg('It belongs to an event that was sent as one message.'),
  over_while_held_back: msg('A broader alert covered it until it ended.'),
  expired: msg('It waited too long to be of use.'),
};

/** Returns what the alert was judged by: the rule, hook or detector, its threshold, the values seen, and the subscription. */
async function groundFacts(alert: Alert, context: CommandContext): Promise<Fact[]> {
  const { store, caller, universe, kinds } = context;
  const { labels, annotations } = alert;
  const detector = kinds.find(({ name }) => name === labels.kind);
  const [rules, hooks, subscriptions, active] = await Promise.all([
    store.rules.of(caller.receiver),
    store.hooks.of(caller.receiver),
    store.subscriptions.of(caller.receiver),
    activeSubscriptions(context),
  ]);
  const rule = rules.find(({ id }) => id === labels.rule);
  const hook = hooks.find(({ id }) => id === hookOfKind(labels.kind));
  const asking = active.find((each) => wants(each, { alert, universe }));
  const subscription = subscriptions.find(({ id }) => id === asking?.id);
  const fact = (name: Text, value: Text | undefined) => (value === undefined ? [] : [{ name, value }]);
  return [
    ...fact(msg('Rule'), rule ? (rule.name ?? conditionText(rule)) : detector?.threshold),
    ...fact(msg('Hook'), hook?.name),
    ...fact(msg('Condition'), rule && conditionText(rule)),
    ...fact(
      msg('Seen'),
      rule === undefined
        ? listOf(annotations.facts.slice(0, 2).map(({ name, value }) => join([name, value], ' ')))
        : annotations.title,
    ),
    ...fact(msg('Subscription'), subscription && matcherText(subscription, { kinds })),
  ];
}

function explanation({ outcome, reason, alert }: Delivery): Text {
  const given = reason?.text ?? msg('no reason was recorded');
  if (outcome === 'suppressed') {
    const meaning = reason === null ? undefined : meanings[reason.code];
    return lines(msg('Not sent: {reason}.', { reason: given }), meaning);
  }
  if (outcome === 'failed') return msg('It could not be delivered: {reason}.', { reason: given });
  const doubt = reason === null ? undefined : msg('Note: {reason}.', { reason: reason.text });
  return lines(
    outcome === 'edited'
      ? msg('An earlier message was updated quietly (edits don’t notify).')
      : causeText(alert?.labels),
    doubt,
  );
}

/** Says why the alert came here: a hook, an own alert or a subscription. */
function causeText(labels: Labels | undefined): Text {
  const hook = labels === undefined ? undefined : hookOfKind(labels.kind);
  if (hook !== undefined)
    return msg('Sent because a hook of this chat brought it: "{show}".', {
      show: typed(`hook show ${hook}`, `hook show id:${hook}`),
    });
  return labels?.rule === undefined
    ? msg('Sent because this chat subscribes to it.')
    : msg('Sent because of this chat’s own alert: "{show}".', {
        show: typed(`alert show ${labels.rule}`, `alert show id:${labels.rule}`),
      });
}

interface Asked {
  readonly kind: string | undefined;
  readonly symbol: string | undefined;
  readonly concerns: (labels: Labels) => boolean;
}

async function absenceText({ kind, symbol, concerns }: Asked, context: CommandContext): Promise<Text> {
  const { store, caller, universe } = context;
  const [subscriptions, rules, firing] = await Promise.all([
    store.subscriptions.of(caller.receiver),
    store.rules.of(caller.receiver),
    store.alerts.firing(),
  ]);
  if (subscriptions.length === 0) {
    return rules.length === 0
      ? msg('Nothing is subscribed here: "{subscribe}" changes that.', { subscribe: typed('subscribe') })
      : msg('Nothing is subscribed here but own alerts: "{list}" shows when they fire.', {
          list: typed('alert list'),
        });
  }
  const alerts = firing.filter(({ labels }) => concerns(labels));
  if (alerts.length === 0) {
    if (kind !== undefined) return msg('No such alert is active right now.');
    return symbol === undefined
      ? msg('No alert is active right now.')
      : msg('No alert about {symbol} is active right now.', { symbol: marketName(symbol) });
  }
  const active = await activeSubscriptions(context);
  const wanted = alerts.filter((alert) => active.some((each) => wants(each, { alert, universe })));
  const one = wanted[0];
  const milder = active.flatMap((each) => {
    const alert = alerts.find((alert) => wants({ ...each, minSeverity: 'info' }, { alert, universe }));
    return alert === undefined ? [] : [{ alert, level: levelText(each.minSeverity) }];
  })[0];
  if (one === undefined && milder !== undefined)
    return msg('"{alert}" is active, but no more than {severity}: this chat gets {level}.', {
      alert: milder.alert.annotations.title,
      severity: words(milder.alert.peak),
      level: milder.level,
    });
  return one === undefined
    ? msg(
        '{count, plural, one {# alert is} other {# alerts are}} active, but this chat isn’t subscribed to {count, plural, one {it} other {them}}: the kind, the market or the severity differs.',
        { count: alerts.length },
      )
    : msg('"{alert}" is active: it began before this chat subscribed, or is on its way.', {
        alert: one.annotations.title,
      });
}
