import { expect, it } from 'vitest';
import type { BotKey } from '#src/store/ports.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';

const here = { notifier: 'telegram', address: { chatId: -1 } };
const there = { notifier: 'telegram', address: { chatId: -2 } };
const key: BotKey = {
  id: 'abcdef012345',
  digest: 'd'.repeat(64),
  name: 'an agent',
  scopes: ['read', 'manage'],
  receiver: here,
  createdAt: 1,
  revokedAt: null,
};

onStores('keys', (url) => {
  const opened = async () => {
    const store = await ownStore(await url());
    await store.keys.add(key);
    return store;
  };

  it('are stored unchanged, count their requests, and can be revoked once', async () => {
    const { keys } = await opened();
    expect(await keys.find(key.id)).toEqual(key);
    expect(await keys.find('another')).toBeUndefined();
    await keys.countUse(key.id, 5);
    await keys.countUse(key.id, 7);
    expect(await keys.all()).toEqual([{ ...key, requests: 2, usedAt: 7 }]);
    expect(await keys.revoke(key.id, 9)).toBe(true);
    expect(await keys.revoke(key.id, 10)).toBe(false);
    expect(await keys.find(key.id)).toEqual({ ...key, revokedAt: 9 });
  });

  it('move with their place, and are deleted with it', async () => {
    const { keys, receivers, forgetPlace } = await opened();
    await receivers.move(here, there);
    expect(await keys.find(key.id)).toEqual({ ...key, receiver: there });
    expect(await forgetPlace(there)).toMatchObject({ api_key: 1 });
    expect(await keys.find(key.id)).toBeUndefined();
  });
});
