import { expect, it } from 'vitest';
import { receiver, silence, start } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';
import { rule } from '#test/support/rules.ts';

onStores('what is over', (url) => {
  const opened = async () => ownStore(await url());
  const horizons = { now: 0, before: 0, requests: 0, record: 0, wall: 0 };

  it('is deleted with its time: rules and silences that have ended, and the audit; what goes on stays', async () => {
    const store = await opened();
    for (const at of [start, start + 1]) {
      await store.rules.add(rule({ receiver: receiver(), expiresAt: at }));
      const author = { receiver: receiver(), who: 'Ada', person: 'ada', at };
      await store.change(author, async ({ silences }, record) => {
        await silences.add(silence({ startsAt: start - 1, endsAt: at }));
        record('a silence');
      });
    }
    await store.rules.add(rule({ receiver: receiver() }));
    await store.prune({ ...horizons, before: start + 1 });
    expect(await store.forgetPlace(receiver())).toMatchObject({ rule: 2, silence: 1, audit: 1 });
  });

  it('is deleted by number: of the messages of the page the last 2,000 stay', async () => {
    const store = await opened();
    const put = (id: string) => store.messages.put({ id, room: 'main', body: '' });
    for (const id of ['first', 'second', 'third']) await put(id);
    const last = Array.from({ length: 2_000 }, (_, n) => `m${n}`);
    await Promise.all(last.map(put));
    await store.prune(horizons);
    const kept = await store.messages.recent('main', 3_000);
    expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(last));
  });
});
