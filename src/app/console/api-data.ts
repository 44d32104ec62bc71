import type { Rule } from '../../alert/rule.ts';
import type { Silence, Subscription } from '../../alert/subscription.ts';
import { plainReader, say } from '../../language/say.ts';
import type { ApiData, ApiRecord } from '../../platforms/api.ts';
import type { KindScore, Records } from '../../record/records.ts';
import { hour, iso, second } from '../../runtime/units.ts';
import type { IdentifiedDelivery, Store } from '../../store/ports.ts';

/** Reads what the HTTP API tells about a place from the store and the record. */
export const createApiData = ({
  store,
  records,
  now,
}: {
  readonly store: Pick<Store, 'subscriptions' | 'rules' | 'silences' | 'deliveries'>;
  readonly records: Pick<Records, 'scores'>;
  /** Market ms. */
  readonly now: () => number;
}): ApiData => ({
  subscriptions: async (receiver) => (await store.subscriptions.of(receiver)).map(subscriptionOf),
  rules: async (receiver) => (await store.rules.of(receiver)).map(ruleOf),
  silences: async (receiver) => (await store.silences.of(receiver, now())).map(silenceOf),
  deliveries: async (receiver, given) => (await store.deliveries.page(receiver, given)).map(deliveryOf),
  scores: async ({ kind, symbol }) =>
    (
      await records.scores({
        ...(kind !== undefined && { kind }),
        ...(symbol !== undefined && { symbol }),
      })
    ).map(scoreOf),
});

const subscriptionOf = ({
  receiver: _,
  createdBy: __,
  createdAt,
  kinds,
  symbols,
  ...rest
}: Subscription): ApiRecord<'subscription'> => ({
  ...rest,
  kinds: [...kinds],
  symbols: [...symbols],
  createdAt: iso(createdAt),
});

const ruleOf = ({
  receiver: _,
  createdBy: __,
  createdAt,
  expiresAt,
  hold,
  symbols,
  ...rest
}: Rule): ApiRecord<'rule'> => ({
  ...rest,
  symbols: [...symbols],
  hold: hold / second,
  expiresAt: expiresAt === null ? null : iso(expiresAt),
  createdAt: iso(createdAt),
});

const silenceOf = ({ id, kinds, symbols, startsAt, endsAt }: Silence): ApiRecord<'silence'> => ({
  id,
  kinds: [...kinds],
  symbols: [...symbols],
  startsAt: iso(startsAt),
  endsAt: iso(endsAt),
});

const deliveryOf = ({
  id,
  at,
  alertId,
  revision,
  title,
  outcome,
  reason,
}: IdentifiedDelivery): ApiRecord<'delivery'> => ({
  id,
  at: iso(at),
  alertId,
  revision,
  title: say(title, plainReader),
  outcome,
  ...(reason !== null && { reason: say(reason.text, plainReader), code: reason.code }),
});

const scoreOf = ({ kind, horizon, sense, n, days, found, finding }: KindScore): ApiRecord<'score'> => ({
  kind,
  horizon: horizon / hour,
  sense,
  alerts: n,
  days,
  ...(found !== undefined && {
    found: {
      medianMove: found.move.median,
      usualMove: found.move.usual,
      hits: found.hits.share,
      usualHits: found.hits.usual,
    },
  }),
  ...(finding !== undefined && { finding: finding.verdict }),
});
