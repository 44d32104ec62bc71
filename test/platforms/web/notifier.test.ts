import { expect, it, onTestFinished } from 'vitest';
import { withMessageListeners } from '#src/app/platforms.ts';
import type { Notification } from '#src/platforms/notifier.ts';
import { createNotifier } from '#src/platforms/web/notifier.ts';
import type { Lease } from '#src/runtime/role.ts';
import { withSendCheck } from '#src/runtime/send-check.ts';
import { openStore } from '#src/store/open.ts';
import { fakeClock } from '#test/support/clock.ts';
import { onStores } from '#test/support/databases.ts';

const role = 'deliver:web';
const titled = (title: string): Notification => ({
  id: 'n-1',
  version: title,
  card: { title },
  loud: false,
  doubt: false,
});

onStores('a post to the page', (url) => {
  const open = async () => {
    const database = await url();
    const store = await openStore(database);
    onTestFinished(() => store.close());
    const messages = withMessageListeners({ ...store.messages, shared: !database.startsWith('file:') });
    const connection = createNotifier({ messages, wall: fakeClock(0) });
    const take = async (owner: string): Promise<Lease> => {
      const lease = await store.leases.take(role, { owner, ttl: -1 });
      if (lease === null) throw new Error('the role is not free');
      return lease;
    };
    const shown = async () =>
      (await messages.recent('main', 9)).map(({ body }) => JSON.parse(body).card.title);
    return { connection, take, shown };
  };
  const to = { address: { room: 'main' }, signal: new AbortController().signal };

  it('by a process that has lost its role does not replace what its successor has posted', async () => {
    const { connection, take, shown } = await open();
    const former = await take('a');
    await connection.send(titled('It fires'), { ...to, lease: former });
    const lease = await take('b');
    const over = { notification: titled('It is over'), ...to };
    await connection.edit?.('n-1', { ...over, lease });
    const stale = { notification: titled('It fires still'), ...to, lease: former };
    const outcome = { kind: 'unavailable', accepted: 'no' };
    await expect(connection.send(titled('It fires'), { ...to, lease: former })).rejects.toMatchObject({
      outcome,
    });
    await expect(connection.edit?.('n-1', stale)).rejects.toMatchObject({ outcome });
    expect(await shown()).toEqual(['It is over']);
  });

  it('is not stored once its process may not send any more', async () => {
    const { connection, shown } = await open();
    const signal = withSendCheck(to.signal, () => false);
    await expect(connection.send(titled('It fires'), { ...to, signal })).rejects.toMatchObject({
      outcome: { kind: 'unavailable', accepted: 'no' },
    });
    expect(await shown()).toEqual([]);
  });
});
