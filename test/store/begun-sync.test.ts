import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '#src/database/open.ts';
import { migrations } from '#src/store/migrations.ts';
import type { Claim } from '#src/store/ports.ts';
import { outbox } from '#src/store/queue/outbox.ts';
import type { Tables } from '#src/store/tables.ts';
import { receiver, start } from '#test/support/alerts.ts';

const key = 'web:a';
const claim = { key, receiver: receiver('a'), group: 'g', rows: [], alerts: [] } as unknown as Claim;

it('a post counts as begun only once it is stored in a way that survives a power cut', async () => {
  const database = await openDatabase<Tables>('file::memory:', { migrations, alone: false });
  onTestFinished(() => database.close());
  const { db } = database;
  await db.insertInto('queue').values({ receiver: key, notifier: 'web', urgency: 1, ready: start }).execute();
  const synced: unknown[] = [];
  const release = Promise.withResolvers<void>();
  const own = outbox(
    {
      ...database,
      async sync() {
        synced.push(await db.selectFrom('queue').select('begun').executeTakeFirst());
        await release.promise;
      },
    },
    { token: 1, accountOf: () => '' },
  );
  const begun = { kind: 'begun', claim, at: start } as const;
  let isBegun = false;
  const beginning = own
    .settle([{ ...begun, post: { group: 'g', shown: {}, unknown: false } }])
    .then((lost) => {
      isBegun = true;
      return lost;
    });
  const begunRow = { begun: expect.stringContaining('"group":"g"') };
  await vi.waitFor(() => expect(synced).toEqual([begunRow]));
  expect(isBegun).toBe(false);
  release.resolve();
  expect(await beginning).toEqual(new Set());
});

it('an edit and an outcome wait for no disk: they may be done again', async () => {
  const database = await openDatabase<Tables>('file::memory:', { migrations, alone: false });
  onTestFinished(() => database.close());
  let syncs = 0;
  const own = outbox({ ...database, sync: async () => void syncs++ }, { token: 1, accountOf: () => '' });
  await own.settle([{ kind: 'begun', claim, at: start, post: null }]);
  await own.settle([{ kind: 'failed', claim, at: start, reason: { code: 'defect', text: '' } }]);
  expect(syncs).toBe(0);
});
