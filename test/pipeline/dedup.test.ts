import { expect, it } from 'vitest';
import type { Alert, Severity } from '#src/alert/alert.ts';
import { dedup } from '#src/pipeline/dedup.ts';
import type { Outlet } from '#src/pipeline/delivery.ts';
import type { Claim } from '#src/store/ports.ts';
import { firing, next, start, subscription } from '#test/support/alerts.ts';

const shown = firing({ symbol: 'BTCUSDT', severity: 'critical' });

/** Returns an alert that went through these severities, one a revision. */
const through = ([first, ...others]: readonly [Severity, ...Severity[]]): Alert =>
  others.reduce(
    (alert, severity) => next(alert, { status: 'updated', severity }, start),
    firing({ symbol: 'ETHUSDT', severity: first }),
  );

it.each<[string, [Severity, ...Severity[]], number, string]>([
  ['a reply if it begins', ['warning'], 1, 'reply'],
  ['a reply if it got worse', ['info', 'warning'], 2, 'reply'],
  [
    'a reply if it got worse again, which waits for its own turn',
    ['info', 'warning', 'critical'],
    2,
    'reply',
  ],
  ['a reply if it has eased since it got worse', ['info', 'warning', 'info'], 2, 'reply'],
  [
    'an edit if it has only changed since its news, which was not for this chat',
    ['warning', 'info'],
    2,
    'edit',
  ],
])('an alert that a message does not show yet is %s', (_, severities, revision, act) => {
  const alert = through(severities);
  const claim: Partial<Claim> = {
    group: shown.id,
    rows: [{ id: 1, alertId: alert.id, revision }],
    alerts: [shown, alert],
    post: { reference: 'm1', shown: { [shown.id]: 1 }, unknown: false },
    subscriptions: [{ id: 's', ...subscription() }],
    postInDoubt: null,
  };
  const verdict = dedup(
    { claim: claim as Claim, notifying: [shown, alert] },
    { blind: new Map(), outlet: { connection: {} } as Outlet },
  );
  expect(verdict).toMatchObject({ items: [{ act }] });
});
