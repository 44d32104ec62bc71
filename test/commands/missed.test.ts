import { describe, expect, it } from 'vitest';
import type { ReasonCode } from '#src/alert/reason.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { Delivery } from '#src/store/ports.ts';
import { delivery, firing, subscription } from '#test/support/alerts.ts';
import { ask, caller } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const alert = firing({ symbol: 'BTCUSDT' }, now - 2 * hour);
const { receiver } = caller;
const unsent = (over: Partial<Delivery>): Delivery =>
  delivery({
    ...{
      at: now - hour,
      alertId: alert.id,
      receiver,
      title: 'BTC funding is extreme',
      outcome: 'suppressed',
    },
    ...over,
  });
const because = (code: ReasonCode) => ({ reason: { code, text: code } });
const listed = async (...deliveries: Delivery[]) =>
  (await ask('missed', { store: memoryStore({ alerts: [alert], deliveries }) })).table?.rows.map(
    ([title, why]) => [title, why],
  ) ?? [];

describe('missed lists only what was missed', () => {
  it.each([
    ['silenced', 1],
    ['expired', 1],
    ['over_before_morning', 1],
    ['paused', 1],
    ['already_sent', 0],
    ['sent_at_once', 0],
    ['start_not_sent', 0],
    ['nothing_open', 0],
    ['part_of', 0],
    ['unsubscribed', 0],
  ] as const)('not sent because %s: %d', async (code, rows) => {
    expect(await listed(unsent(because(code)))).toHaveLength(rows);
  });

  it('a post that failed and then arrived was not missed, and an escalation after it was', async () => {
    const failed = unsent({ outcome: 'failed', ...because('not_delivered') });
    const sent = unsent({ at: now - 50 * minute, outcome: 'sent' });
    expect(await listed(sent, failed)).toEqual([]);
    expect(await listed({ ...failed, revision: 2 }, sent)).toHaveLength(1);
  });

  it('an alert is listed once, with the newest reason', async () => {
    expect(
      await listed(
        unsent({ at: now - minute, revision: 2, ...because('silenced') }),
        unsent({ revision: 1, ...because('expired') }),
      ),
    ).toEqual([['BTC funding is extreme', 'silenced']]);
  });

  it('what began in a downtime and was posted afterwards was late, not missed', async () => {
    const down = [{ from: now - 3 * hour, to: now - 2 * hour }];
    const subscriptions = [{ ...subscription({ receiver }), id: 's1' }];
    const rows = async (deliveries: Delivery[]) =>
      (
        await ask('missed', {
          store: memoryStore({ alerts: [alert], downtimes: down, subscriptions, deliveries }),
        })
      ).table?.rows.length ?? 0;
    expect(await rows([])).toBe(1);
    expect(await rows([unsent({ outcome: 'sent' })])).toBe(0);
  });
});
