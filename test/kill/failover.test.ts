import { expect, it } from 'vitest';
import { describeWith } from '#test/support/needs.ts';
import { throughPgBouncer } from '#test/support/pgbouncer.ts';
import { startPostgres } from '#test/support/postgres.ts';
import { runFailover, runTakeover } from './failover.ts';

const faultless = { doubledTooOften: [], lost: [], wrong: [], forgotten: [], stale: [] };

/** `npm run bench -- kill -- failover` measures how long this takes; here a slow machine is no failure. */
it('another process takes over the roles of a killed and of a frozen one, and a rolling restart doubles nothing', async () => {
  const { verdict, doubledByRestart, complaints } = await runFailover(await (await startPostgres()).fresh());
  expect.soft(doubledByRestart).toEqual([]);
  expect.soft(verdict).toMatchObject(faultless);
  expect.soft(complaints).toEqual([]);
  expect(verdict.alerts).toBeGreaterThan(5);
});

describeWith('PgBouncer', 'two processes through PgBouncer in transaction mode', () => {
  it('send everything once, and one takes over the roles of the other when that is killed', async () => {
    const database = await throughPgBouncer(await (await startPostgres()).fresh());
    const { verdict, complaints } = await runTakeover(database);
    expect.soft(verdict).toMatchObject(faultless);
    expect.soft(complaints).toEqual([]);
  });
});
