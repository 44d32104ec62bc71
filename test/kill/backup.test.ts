import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { wallClock } from '#src/runtime/clock.ts';
import { openStore } from '#src/store/open.ts';
import { start } from '#test/support/alerts.ts';
import { runHere } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import type { Life } from './child.ts';
import { webhooks } from './ends.ts';
import { counted, possiblyDoubled } from './kept.ts';
import { subscribe } from './kill.ts';
import { spawnLife } from './lives.ts';
import { startParent } from './parent.ts';
import { episodes, shownIn, storms } from './storm.ts';
import { type Arrival, judge } from './verdict.ts';

/** Returns the counts of the storms, and by receiver the titles of deliveries that are logged as possibly doubled. */
async function keptIn(database: string, origin: string) {
  const store = await openStore(database);
  const counts = await counted(store);
  const noted = await possiblyDoubled(store, (name) => webhooks.receivers(name, origin)[0]);
  await store.close();
  return { counts, noted };
}

it('a bot restored from a backup taken under load loses nothing and doubles only posts that were in doubt', async () => {
  const folder = await ownFolder();
  const parent = await startParent(webhooks);
  onTestFinished(async () => parent.close());
  const life: Life = {
    database: `file:${folder}/first/bot.db`,
    dataUrl: parent.dataUrl,
    notifiers: webhooks.notifiers(parent.origin),
    market: { market: start, wall: wallClock.now(), speed: 60 },
    watch: true,
  };
  const moved = { ...life, database: `file:${folder}/second/bot.db` };
  let complaints = '';
  const begin = (one: Life) => {
    const child = spawnLife(one, {
      folder,
      complain(text) {
        complaints += text;
      },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ended: once(child, 'close') };
  };
  await subscribe(life.database, (name) => webhooks.receivers(name, parent.origin));

  // Posts are answered only after the backup, while the market goes on: many posts are under way, and more are waiting.
  const [waiting, released, after] = [0, 0, 0].map(() => Promise.withResolvers<void>());
  let [taken, polled] = [0, 0];
  parent.listen(0, (moment) => {
    if (moment === 'taken') taken += 1;
    if (moment === 'sent' && taken >= 20) return released?.promise;
    if (moment === 'answered' && taken >= 20 && ++polled === 25) waiting?.resolve();
    if (taken === 120) after?.resolve();
    return undefined;
  });
  const first = begin(life);
  await Promise.race([waiting?.promise, first.ended]);
  const backup = await runHere(folder, ['backup', `${folder}/copy.db`], {
    TOCSIN_DATABASE_URL: life.database,
  });
  expect(backup).toMatchObject({ code: 0, err: '' });
  released?.resolve();
  await Promise.race([after?.promise, first.ended]);
  first.child.kill('SIGKILL');
  await first.ended;
  await parent.quiet();

  const restore = await runHere(folder, ['restore', `${folder}/copy.db`], {
    TOCSIN_DATABASE_URL: moved.database,
  });
  expect(restore).toMatchObject({ code: 0, err: '' });
  expect(restore.out).toMatch(/[1-9]\d* (posts waited|alerts had yet)/);
  const { counts: before } = await keptIn(moved.database, parent.origin);

  const enough = Promise.withResolvers<void>();
  taken = 0;
  parent.listen(1, (moment) => {
    if (moment === 'taken') taken += 1;
    if (taken === 30) enough.resolve();
  });
  const second = begin(moved);
  await Promise.race([enough.promise, second.ended]);
  second.child.kill('SIGTERM');
  expect((await second.ended)[0]).toBe(0);
  expect((await begin({ ...moved, watch: false }).ended)[0]).toBe(0);

  for (const [name, n] of before) {
    const asked = parent.questions.filter(
      ({ life: of, symbol }) => of === 1 && symbol.startsWith(name.toUpperCase()),
    );
    expect(asked[0]?.symbol).toBe(`${name.toUpperCase()}${n}`);
  }
  const { counts, noted } = await keptIn(moved.database, parent.origin);
  const revisions = new Map(storms.flatMap(({ name }) => [...episodes(name, before.get(name) ?? 0)]));
  const says = ({ receiver, body }: Arrival) =>
    shownIn(body).map(([episode, revision]) => ({ receiver, episode, revision }));
  const earlier = new Set(
    parent.arrivals
      .filter(({ life: of }) => of === 0)
      .flatMap((each) => says(each).map((one) => JSON.stringify(one))),
  );
  // Alerts that the first bot found after the backup are found again, and a post shows all alerts of its group, new or not.
  const again = parent.arrivals
    .filter(({ life: of }) => of === 1)
    .map(says)
    .filter((all) =>
      all.every(
        (one) =>
          earlier.has(JSON.stringify(one)) &&
          one.revision <= (revisions.get(one.episode)?.at(-1)?.revision ?? 0),
      ),
    );
  // A post that tells of an alert's end keeps the title of its peak.
  const inDoubt = new Set(
    [...noted].flatMap(([name, titles]) =>
      titles.flatMap((title) => shownIn(title).map(([episode]) => `${name}: ${episode}`)),
    ),
  );
  expect(again.length).toBeGreaterThan(0);
  const unmarked = again.filter((all) =>
    all.every(({ receiver, episode }) => !inDoubt.has(`${receiver}: ${episode}`)),
  );
  expect(unmarked).toEqual([]);
  // A receiver drops a key that it knows, so what happened anew after the restore has a key of its own.
  const endsByKey = Map.groupBy(parent.arrivals, ({ receiver, key }) => `${receiver} ${key}`);
  const otherwise = [...endsByKey].filter(
    ([, arrivals]) =>
      new Set(arrivals.map(({ body }) => String(body.match(/(?:Resolved|Ended) after [^":]*/g)))).size > 1,
  );
  expect(otherwise).toEqual([]);
  const { lost } = judge(parent.arrivals, [], counts, noted);
  expect(lost).toEqual([]);
  expect(complaints).toBe('');
});
