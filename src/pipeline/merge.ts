import { hash } from 'node:crypto';
import { dataBlind } from '../alert/alert.ts';
import { digestTime, isEndedUnsentGroup } from '../alert/post-group.ts';
import type { Style } from '../alert/style.ts';
import { type Subscription, wants } from '../alert/subscription.ts';
import { alertCard, noticesOf } from '../card/alert-card.ts';
import type { Card } from '../card/card.ts';
import { digestCard, endedUnsentCard } from '../card/digest-card.ts';
import { sayCard } from '../card/say-card.ts';
import { styledCard } from '../card/styled-card.ts';
import { minute } from '../runtime/units.ts';
import type { Claim } from '../store/ports.ts';
import { unseenSince } from './blindness.ts';
import type { DeliveryContext, Planned, Rendered } from './delivery.ts';
import { withRepeatLine } from './doubt.ts';
import { pass, type Verdict } from './stage.ts';

/** A first post that is more than this many market ms behind its alert says how late it is. */
const lateAfter = 15 * minute;

/** Makes one card of everything that is due. It shows the latest state of the alerts, whichever revisions are due. */
export function merge(planned: Planned, context: DeliveryContext): Verdict<Rendered> {
  const { claim, act } = planned;
  const { alerts, post } = claim;
  const hasEnded = alerts.every(({ status }) => status === 'resolved');
  const mention = act === 'edit' || hasEnded ? null : roleToMention(claim, context.universe());
  const unknown = unseenSince(alerts, context.blind) !== undefined;
  // With its time as it was written: after a restore from a backup another revision may come to have the number of one that was
  // sent, and what may have arrived under a wrong clock is known by that time.
  const version = hashOf([
    unknown,
    ...alerts.map(({ id, revision, updatedAt, writtenAt = updatedAt, partOf }) => [
      id,
      revision,
      writtenAt,
      partOf?.id,
    ]),
  ]);
  const card = cachedCardOf(planned, version, context);
  return pass({
    ...planned,
    unknown,
    notification: {
      id: postId(claim),
      version,
      card: act === 'edit' ? card : withRepeatLine(card, claim),
      loud: isLoud(planned, context.universe()),
      doubt: claim.postInDoubt !== null,
      ...(mention !== null && { mention }),
      replyTo: post?.reference,
    },
  });
}

function cachedCardOf(planned: Planned, version: string, context: DeliveryContext): Card<string> {
  const { claim, act } = planned;
  const style = styleOf(claim, context.universe());
  const key = `${version} ${act} ${claim.group} ${claim.waitedFor} ${JSON.stringify([claim.reader, style])}`;
  return context.cards.getOrInsertComputed(key, () => {
    const { slash } = context.outlet;
    const { alert, ...rest } = cardOf(planned, context);
    const said = sayCard(rest.card, { ...claim.reader, slash });
    return style === undefined || !alert ? said : styledCard(said, { style, alerts: claim.alerts, ...rest });
  });
}

/** Returns how the first subscription that asks for one of the alerts wants its posts to look; undefined: as usual. */
const styleOf = ({ subscriptions, alerts }: Claim, universe: readonly string[]): Style | undefined =>
  subscriptions.find((each) => alerts.some((alert) => wants(each, { alert, universe })))?.style;

/** A card, whether it tells of alerts one by one, and what no style leaves out of it. */
interface MadeCard extends Pick<Parameters<typeof styledCard>[1], 'record' | 'notices'> {
  readonly card: Card;
  readonly alert: boolean;
}

function cardOf({ claim, act }: Planned, { now, source, blind, recordOf }: DeliveryContext): MadeCard {
  const { alerts, group } = claim;
  const unseen = unseenSince(alerts, blind);
  const options = {
    source: source(),
    ...(unseen !== undefined && { unknownFor: Math.max(0, now() - unseen) }),
    untold: act === 'send',
  };
  const plain = { alert: false, record: undefined, notices: [] };
  if (isEndedUnsentGroup(group)) return { ...plain, card: endedUnsentCard(alerts, options) };
  if (digestTime(group) !== undefined)
    return {
      ...plain,
      card: digestCard(alerts, { ...options, overBudget: claim.waitedFor === 'over_budget' }),
    };
  const delay = now() - Math.max(...alerts.map(({ updatedAt }) => updatedAt));
  const told = { ...options, ...(act === 'send' && delay > lateAfter && { lateBy: delay }) };
  const card = alertCard(alerts, told);
  const [kind, ...others] = new Set(alerts.map(({ labels }) => labels.kind));
  const record = kind === undefined || others.length > 0 ? undefined : recordOf(kind);
  const isBlind = alerts.every(({ labels }) => labels.kind === dataBlind);
  return {
    card: record === undefined ? card : { ...card, facts: [...(card.facts ?? []), record] },
    alert: !isBlind,
    record: record?.value,
    notices: noticesOf(told),
  };
}

/**
 * Returns the role to mention: that of the first subscription with a role that asks for one of these alerts; null if
 * none. That data is missing mentions nobody.
 */
const roleToMention = ({ subscriptions, alerts }: Claim, universe: readonly string[]): string | null => {
  const news = alerts.filter(({ labels }) => labels.kind !== dataBlind);
  const isFor = (each: Subscription) => news.some((alert) => wants(each, { alert, universe }));
  return subscriptions.find((each) => each.mention !== null && isFor(each))?.mention ?? null;
};

/** Returns an id that is the same for every attempt at the same post. */
export const postId = ({ key, group, post }: Pick<Claim, 'key' | 'group' | 'post'>): string =>
  hashOf([key, group, post?.reference ?? '']);

/** Returns a hash of 22 characters: the id may be used as Discord's nonce, which takes at most 25. */
export const hashOf = (identity: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(identity), 'base64url').slice(0, 22);

/**
 * Returns whether a message makes a sound. A new message does if an alert in it goes on that is urgent or was asked for
 * by name, whatever its severity: by a rule of one's own, or by a market named in a subscription. A message about ended
 * alerts makes none, nor does an edit or a digest.
 */
function isLoud({ claim, act }: Pick<Planned, 'claim' | 'act'>, universe: readonly string[]): boolean {
  if (act === 'edit' || digestTime(claim.group) !== undefined) return false;
  const ongoing = claim.alerts.filter(({ status }) => status !== 'resolved');
  return ongoing.some(
    (alert) =>
      claim.urgent ||
      alert.only !== undefined ||
      claim.subscriptions.some(
        (each) => namesSymbol(each, alert.labels.symbol) && wants(each, { alert, universe }),
      ),
  );
}

/** Returns whether the subscription lists this market itself. All markets, or the twenty largest, name none. */
const namesSymbol = ({ symbols }: Subscription, symbol: string | undefined): boolean =>
  symbol !== undefined && symbols.includes(symbol);
