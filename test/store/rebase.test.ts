import { expect, it } from 'vitest';
import { receiverKey } from '#src/alert/subscription.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { firing, receiver, silence, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';
import { enqueued } from '#test/support/posting.ts';
import { rule } from '#test/support/rules.ts';

onStores('what a clock that was ahead has written', (url) => {
  it('is based anew by the next heartbeat, and nothing is when none was ahead', async () => {
    const store = await ownStore(await url());
    const at = start + day;
    await store.subscriptions.add(subscription());
    await enqueued(store, firing({}, at));
    await store.silences.add(silence({ startsAt: at, endsAt: at + 30 * day }));
    await store.silences.add(silence({ startsAt: start - day }));
    await store.rules.add({ ...rule({ receiver: receiver(), expiresAt: at + hour }), createdAt: at });
    const key = receiverKey(receiver());
    const waits = async () => (await store.outbox.queued([key], start)).length;
    expect(await store.heartbeat({ market: at, wall: at }, minute)).toBe(false);
    expect(await waits()).toBe(0);
    expect(await store.heartbeat({ market: start, wall: start }, minute)).toBe(true);
    expect(await waits()).toBe(1);
    expect(await store.alerts.firing()).toMatchObject([{ startsAt: start, updatedAt: start }]);
    expect((await store.silences.of(receiver(), start)).map(({ endsAt }) => endsAt - start).sort()).toEqual(
      [30 * day, hour].sort(),
    );
    expect(await store.rules.of(receiver())).toMatchObject([{ expiresAt: start + hour }]);
    expect(await store.heartbeat({ market: start + minute, wall: start + minute }, minute)).toBe(false);
  });
});

it.each([
  [minute, false],
  [minute + 1, true],
])('a clock set back by %i ms was wrong: %s', async (by, wrong) => {
  const store = await ownStore();
  await store.heartbeat({ market: start, wall: start }, minute);
  expect(await store.heartbeat({ market: start - by, wall: start - by }, minute)).toBe(wrong);
});
