import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#src/database/database.ts';
import { openDatabase } from '#src/database/open.ts';
import { day, minute } from '#src/runtime/units.ts';
import { type AccessStore, accessStoreIn } from '#src/service/access/store.ts';
import { countKeyUsage, maxUsageDays } from '#src/service/access/usage.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { fakeClock } from '#test/support/clock.ts';
import { onDatabases } from '#test/support/databases.ts';

const log = pino({ level: 'silent' });
const noon = 20_000 * day + day / 2;

onDatabases('how much a key is used', (url) => {
  let database: Database<unknown>;
  let store: AccessStore;
  beforeAll(async () => {
    database = await openDatabase<unknown>(await url(), { migrations });
    store = accessStoreIn(database);
  });
  afterAll(() => database.close());

  const counting = (wall = fakeClock(noon), into: Pick<AccessStore, 'addUsage'> = store) => ({
    wall,
    usage: countKeyUsage({ store: into, wall, log }),
  });

  it('usage is summed over all services, each minute and at the end', async () => {
    const [one, other] = [counting(), counting()];
    for (let n = 0; n < 3; n++) one.usage.count('added');
    other.usage.count('added');
    await one.wall.advance(minute);
    await expect.poll(async () => (await store.usage(noon - day)).get('added')).toBe(3);
    await other.usage.stop();
    expect((await store.usage(noon - day)).get('added')).toBe(4);
    await one.usage.stop();
    expect((await store.usage(noon - day)).get('added')).toBe(4);
  });

  it('usage is shown by days, and old counts are deleted', async () => {
    for (const [age, requests] of [
      [maxUsageDays + 1, 5],
      [2, 7],
      [0, 1],
    ] as const) {
      const { usage } = counting(fakeClock(noon - age * day));
      for (let n = 0; n < requests; n++) usage.count('by days');
      await usage.stop();
    }
    expect((await store.usage(noon - day / 2)).get('by days')).toBe(1);
    expect((await store.usage(0)).get('by days')).toBe(8);
  });

  it('counts that cannot be written are written later', async () => {
    let broken = true;
    const { usage, wall } = counting(fakeClock(noon), {
      async addUsage(...given) {
        if (broken) throw new Error('no database');
        await store.addUsage(...given);
      },
    });
    usage.count('later');
    await wall.advance(minute);
    expect((await store.usage(0)).has('later')).toBe(false);
    broken = false;
    usage.count('later');
    await usage.stop();
    expect((await store.usage(0)).get('later')).toBe(2);
  });
});
