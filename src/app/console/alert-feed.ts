import type { Alert } from '../../alert/alert.ts';
import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import { alertCard } from '../../card/alert-card.ts';
import type { Card } from '../../card/card.ts';
import { sayCard } from '../../card/say-card.ts';
import { say } from '../../language/say.ts';
import { msg, type Text } from '../../language/text.ts';
import type {
  AlertDelivery,
  AlertFeed,
  AlertLife,
  AlertRow,
  Viewer,
} from '../../platforms/web/ports/alert-feed.ts';
import type { MarketClock } from '../../runtime/clock.ts';
import type { AlertLog, Delivery, LoggedAlert } from '../../store/ports.ts';

/** The most changed alerts in one answer. A page that has missed more gets the newest. */
const maxChanged = 200;
const maxDeliveriesRead = 2_000;
const maxDeliveriesShown = 100;

/** Creates the feed of alerts for the page, in the language of its reader. */
export function createAlertFeed({
  log,
  clock,
  source,
  shown,
  afterOf,
}: {
  readonly log: AlertLog;
  readonly clock: () => MarketClock;
  readonly source: () => Text;
  /** Returns the receiver without the secret parts of its address. */
  readonly shown: (receiver: Receiver) => Receiver;
  /** Returns a card of what the price did after an alert. Undefined if nothing is known. */
  readonly afterOf: (alert: Alert) => Promise<Card | undefined>;
}): AlertFeed {
  /** Returns the ids of the alerts that were sent to any place. Of all their deliveries, only the newest `limit` are given. */
  async function sentOf(
    logged: readonly LoggedAlert[],
    {
      deliveries,
      limit,
    }: {
      readonly deliveries: readonly (Delivery & { readonly alertId: string })[];
      readonly limit: number;
    },
  ): Promise<ReadonlySet<string>> {
    const sent = new Set(
      deliveries.flatMap(({ alertId, outcome }) =>
        outcome === 'sent' || outcome === 'edited' ? [alertId] : [],
      ),
    );
    if (deliveries.length < limit) return sent;
    const unknown = logged.filter(({ alert, heldBy }) => !sent.has(alert.id) && heldBy === undefined);
    return sent.union(new Set(await log.sentSoon(unknown.map(({ alert }) => alert))));
  }

  async function readRows(viewer: Viewer, logged: readonly LoggedAlert[]): Promise<readonly AlertRow[]> {
    const deliveries = await log.deliveries(
      logged.map(({ alert }) => alert),
      maxDeliveriesRead,
    );
    const deliveriesByAlert = Map.groupBy(deliveries, ({ alertId }) => alertId);
    const sent = await sentOf(logged, { deliveries, limit: maxDeliveriesRead });
    return logged.map((each) =>
      rowOf(each, {
        viewer,
        sent: sent.has(each.alert.id),
        deliveries: deliveriesByAlert.get(each.alert.id) ?? [],
      }),
    );
  }

  return {
    page: async (viewer, given) => readRows(viewer, await log.page({ ...given, receiver: viewer.receiver })),
    changed: async (viewer, since) =>
      readRows(viewer, await log.changed({ receiver: viewer.receiver, since, limit: maxChanged })),
    async life(viewer, id) {
      const logged = await log.one(id, viewer.receiver);
      if (logged === undefined) return undefined;
      const [deliveries, after] = await Promise.all([
        log.deliveries([logged.alert], maxDeliveriesShown),
        afterOf(logged.alert),
      ]);
      const translate = (text: Text) => say(text, viewer.reader);
      return {
        row: rowOf(logged, {
          viewer,
          sent: (await sentOf([logged], { deliveries, limit: maxDeliveriesShown })).has(id),
          deliveries,
        }),
        card: sayCard({ ...alertCard([logged.alert]), source: source() }, viewer.reader),
        after: after && sayCard({ ...after, source: source() }, viewer.reader),
        states: statesOf(logged.alert, translate),
        deliveries: deliveries
          .filter((each) => mayKnow(each, viewer))
          .map((each) => deliveryOf({ ...each, receiver: shown(each.receiver) }, translate)),
      };
    },
    clock: () => {
      const { now, speed } = clock();
      return { now: now(), speed };
    },
  };
}

const mayKnow = ({ receiver }: Delivery, viewer: Viewer): boolean =>
  viewer.seesAllPlaces || receiverKey(receiver) === receiverKey(viewer.receiver);

function rowOf(
  { alert, heldBy }: LoggedAlert,
  {
    viewer,
    sent,
    deliveries,
  }: { readonly viewer: Viewer; readonly sent: boolean; readonly deliveries: readonly Delivery[] },
): AlertRow {
  const translate = (text: Text) => say(text, viewer.reader);
  const { id, labels, peak, status, revision, event, end, startsAt, updatedAt, endsAt, partOf } = alert;
  const unsent = deliveries.filter(({ outcome }) => outcome === 'suppressed' || outcome === 'failed');
  const known = unsent.find((each) => mayKnow(each, viewer));
  const reason =
    heldBy !== undefined
      ? msg('a broader alert stands for it: {title}', { title: heldBy.event.title })
      : partOf !== undefined && !sent
        ? msg('it is a part of: {title}', { title: partOf.title })
        : known?.reason?.text;
  const delivery = sent ? 'sent' : reason === undefined && unsent.length === 0 ? 'waiting' : 'held';
  const group = event.inGroup;
  return {
    id,
    kind: labels.kind,
    symbol: labels.symbol,
    severity: peak,
    status: endsAt === null ? status : 'resolved',
    revision,
    title: translate(event.title),
    ending: end === null ? undefined : translate(end.title),
    groupName: group && translate(group.name),
    groupRow: group && labels.symbol === undefined ? translate(group.row) : undefined,
    startsAt,
    updatedAt,
    endsAt,
    delivery,
    reason: delivery === 'held' && reason !== undefined ? translate(reason) : undefined,
  };
}

function statesOf(alert: Alert, translate: (text: Text) => string): AlertLife['states'] {
  const { startsAt, worsenedAt, updatedAt, endsAt, end, annotations } = alert;
  return [
    { at: startsAt, state: 'began' as const },
    ...(worsenedAt === undefined
      ? []
      : [{ at: worsenedAt, state: 'worsened' as const, text: translate(alert.event.title) }]),
    ...(endsAt === null && updatedAt > (worsenedAt ?? startsAt)
      ? [{ at: updatedAt, state: 'changed' as const, text: translate(annotations.title) }]
      : []),
    ...(endsAt === null
      ? []
      : [{ at: endsAt, state: 'ended' as const, text: end === null ? undefined : translate(end.title) }]),
  ];
}

function deliveryOf(
  { at, revision, receiver, title, outcome, reason }: Delivery,
  translate: (text: Text) => string,
): AlertDelivery {
  return {
    at,
    revision,
    notifier: receiver.notifier,
    place: Object.values(receiver.address).join(' / '),
    title: translate(title),
    outcome,
    reason: reason === null ? undefined : translate(reason.text),
    code: reason?.code,
  };
}
