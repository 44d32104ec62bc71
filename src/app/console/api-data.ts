import { plainReader, say } from '../../language/say.ts';
import type { ApiData, ApiItem } from '../../platforms/web/ports/api.ts';
import type { KindScore, Records } from '../../record/records.ts';
import { hour, iso } from '../../runtime/units.ts';
import type { IdentifiedDelivery, Store } from '../../store/ports.ts';
import { type ApiChangesOptions, createApiChange, ruleOf, silenceOf, subscriptionOf } from './api-changes.ts';

interface ApiDataOptions extends ApiChangesOptions {
  readonly store: Pick<Store, 'subscriptions' | 'rules' | 'silences' | 'deliveries'>;
  readonly records: Pick<Records, 'scores'>;
  /** Market ms. */
  readonly now: () => number;
}

/** Reads what the HTTP API tells about a place from the store and the record, and makes its changes. */
export const createApiData = ({ store, records, now, contextOf }: ApiDataOptions): ApiData => ({
  change: createApiChange({ contextOf }),
  subscriptions: async (receiver) => (await store.subscriptions.of(receiver)).map(subscriptionOf),
  rules: async (receiver) => (await store.rules.of(receiver)).map(ruleOf),
  silences: async (receiver) => (await store.silences.of(receiver, now())).map(silenceOf),
  deliveries: async (receiver, given) => (await store.deliveries.page(receiver, given)).map(deliveryOf),
  scores: async (given) => (await records.scores(given)).map(scoreOf),
});

const deliveryOf = ({
  id,
  at,
  alertId,
  revision,
  title,
  outcome,
  reason,
}: IdentifiedDelivery): ApiItem<'delivery'> => ({
  id,
  at: iso(at),
  alertId,
  revision,
  title: say(title, plainReader),
  outcome,
  ...(reason !== null && { reason: say(reason.text, plainReader), code: reason.code }),
});

const scoreOf = ({ kind, horizon, sense, n, days, found, finding }: KindScore): ApiItem<'score'> => ({
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
  finding: finding?.verdict,
});
