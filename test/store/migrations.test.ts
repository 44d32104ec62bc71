import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Alert, revise } from '#src/alert/alert.ts';
import { openDatabase } from '#src/database/open.ts';
import { openStore } from '#src/store/open.ts';
import { alertRow } from '#src/store/rows.ts';
import { migrations, type Tables } from '#src/store/tables.ts';

it('an alert that was open before its peak was kept goes on after an update', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const url = `file:${join(folder, 'bot.db')}`;
  const annotations = { title: 'It begins', summary: 'Far out', facts: [], dataTime: 1 };
  const change = { labels: { kind: 'k', symbol: 'S' }, severity: 'warning', annotations } as const;
  const {
    event: _,
    end: __,
    ...earlier
  } = revise(undefined, { change: { ...change, status: 'firing' }, now: 1 }) as Alert;

  const older = (name: string) => name < '2026-11-22-told-at-peak';
  const before = await openDatabase<Tables>(url, {
    migrations: (dialect) =>
      Object.fromEntries(Object.entries(migrations(dialect)).filter(([name]) => older(name))),
  });
  const row = alertRow({ alert: earlier as Alert, group: 'g', due: 1, heldBy: null });
  await before.db.insertInto('alert').values(row).execute();
  await before.close();

  const store = await openStore(url);
  onTestFinished(() => store.close());
  const [open] = await store.alerts.recent(1);
  expect(open).toEqual({ ...earlier, event: annotations, end: null });
  expect(revise(open, { change: { ...change, status: 'resolved' }, now: 2 })?.annotations).toEqual(
    annotations,
  );
});
