import { expect, it } from 'vitest';
import { startPostgres } from '#test/support/postgres.ts';
import { runFailover } from './failover.ts';

/** Within which time is `npm run bench -- failover`: a busy machine is no failure. */
it('another process gets a killed or a frozen one’s roles, and a rolling restart doubles nothing', async () => {
  const { verdict, doubledByRestart, complaints } = await runFailover(await (await startPostgres()).fresh());
  expect.soft(doubledByRestart).toEqual([]);
  expect.soft(verdict).toMatchObject({ doubledTooOften: [], lost: [], wrong: [], forgotten: [], stale: [] });
  expect.soft(complaints).toEqual([]);
  expect(verdict.alerts).toBeGreaterThan(5);
});
