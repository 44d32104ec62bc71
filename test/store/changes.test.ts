import { beforeEach, expect, it } from 'vitest';
import { receiverKey } from '#src/alert/subscription.ts';
import type { Author, Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { firing, next, receiver, silence, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';
import { claimsOf, enqueued } from '#test/support/posting.ts';
import { stepsOf } from './steps.ts';

const author = (name = 'a'): Author => ({ receiver: receiver(name), who: 'ada', person: 'web:1', at: start });

onStores('changes', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await ownStore(await url(), { addresses });
  });

  it('are stored together with their audit entry, or not at all', async () => {
    await store.change(author(), async ({ subscriptions }, record) => {
      await subscriptions.add(subscription());
      record('subscribed');
    });
    await expect(
      store.change(author(), async ({ subscriptions, watchlist }, record) => {
        await subscriptions.add(subscription());
        await watchlist.set(receiver(), ['BTCUSDT']);
        record('more');
        throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    expect(await store.subscriptions.of(receiver())).toHaveLength(1);
    expect(await store.watchlist.of(receiver())).toEqual([]);
    expect(await store.audit.of(receiver(), 5)).toEqual([{ at: start, who: 'ada', what: 'subscribed' }]);
    expect(await store.audit.of(receiver('b'), 5)).toEqual([]);
  });

  it('of one account run one after another, so a limit holds for simultaneous requests', async () => {
    const channel = (n: number) => ({ notifier: 'discord', address: { channelId: String(n), guildId: '9' } });
    const tries = Array.from({ length: 12 }, (_, n) =>
      store.change({ ...author(), receiver: channel(n) }, async ({ subscriptions }) => {
        if ((await subscriptions.countOfAccount(channel(n))) >= 5) throw new Error('full');
        await subscriptions.add(subscription({ receiver: channel(n) }));
      }),
    );
    const settled = await Promise.allSettled(tries);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await store.subscriptions.count()).toBe(5);
  });

  it('affect only what belongs to the receiver', async () => {
    const own = await store.subscriptions.add(subscription());
    expect(await store.subscriptions.update({ ...own, receiver: receiver('b'), paused: true })).toBe(false);
    expect(await store.subscriptions.update({ ...own, paused: true, mention: '5' })).toBe(true);
    expect(await store.subscriptions.of(receiver())).toEqual([{ ...own, paused: true, mention: '5' }]);
  });

  it('that forget a place delete everything of it and nothing else', async () => {
    for (const name of ['a', 'b']) {
      await store.change(author(name), async ({ subscriptions, watchlist, silences }, record) => {
        await subscriptions.add(subscription({ receiver: receiver(name) }));
        await silences.add(silence({ receiver: receiver(name) }));
        await watchlist.set(receiver(name), ['BTCUSDT']);
        record('everything');
      });
    }
    await store.messages.put({ id: '1', room: 'a', body: 'hello' });
    expect(await store.forgetPlace(receiver('a'))).toMatchObject({
      subscription: 1,
      silence: 1,
      watchlist: 1,
      audit: 1,
      message: 1,
    });
    expect(await store.subscriptions.of(receiver('a'))).toEqual([]);
    expect(await store.subscriptions.of(receiver('b'))).toHaveLength(1);
    expect(await store.audit.of(receiver('b'), 5)).toHaveLength(1);
    expect(await store.watchlist.of(receiver('b'))).toEqual(['BTCUSDT']);
  });

  it('that move a place move its watchlist, audit log and account too', async () => {
    const to = { notifier: 'telegram', address: { chatId: '-100' } };
    await store.change(author(), async ({ subscriptions, watchlist }, record) => {
      await subscriptions.add(subscription({ symbols: ['watchlist'] }));
      await watchlist.set(receiver(), ['SOLUSDT']);
      record('subscribed');
    });
    await store.receivers.move(receiver(), to);
    expect(await store.watchlist.of(to)).toEqual(['SOLUSDT']);
    expect(await store.audit.of(to, 5)).toHaveLength(1);
    expect(await store.subscriptions.countOfAccount(to)).toBe(1);
    expect(await store.subscriptions.symbols()).toEqual(['SOLUSDT']);
  });

  it('by a new revision replace earlier ones in the same waiting digest only', async () => {
    const alert = firing();
    const { keep, announced } = stepsOf(() => store);
    const enqueue = async (...groups: readonly (readonly [string, string])[]) => {
      const dispatch = await announced();
      const destinations = groups.map(([name, group]) => ({
        receiver: receiver(name),
        group,
        due: start + 9,
      }));
      await store.expansion.enqueue([{ dispatch, destinations }], { next: null, now: start });
    };
    await keep(alert);
    await enqueue(['a', 'digest@9'], ['b', 'digest@9']);
    await keep(next(alert, { severity: 'info' }, start + 1));
    await enqueue(['a', 'digest@9'], ['b', 'digest@12']);
    expect((await store.deliveries.waiting(receiver('a'), 5)).length).toBe(1);
    expect((await store.deliveries.waiting(receiver('b'), 5)).length).toBe(2);
  });

  it('that pause sending stop all claims, of receivers that wait for their turn already, too', async () => {
    await enqueued(store, firing());
    const claim = () => claimsOf(store, { now: start });
    const waiting = [receiverKey(receiver())];
    await store.sending.pause({ by: 'op', at: start });
    expect(await claim()).toEqual([]);
    expect(await store.outbox.look(waiting, start)).toEqual([]);
    await store.sending.resume();
    expect(await store.outbox.queued(waiting, start)).toHaveLength(1);
    expect(await claim()).toHaveLength(1);
  });

  it('of time between heartbeats that are far apart are stored as one downtime', async () => {
    await store.heartbeat({ market: 100, wall: 0 }, 10);
    await store.heartbeat({ market: 110, wall: 10 }, 10);
    await store.heartbeat({ market: 900, wall: 90 }, 10);
    await store.heartbeat({ market: 910, wall: 95 }, 10);
    expect(await store.downtimes()).toEqual([{ from: 110, to: 900 }]);
  });
});
