import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '#src/store/open.ts';
import { patience } from '#test/support/patience.ts';
import { startPostgres } from '#test/support/postgres.ts';

/** Starts a process and collects the lines of its log. */
async function start(url: string, level: number) {
  const child: ChildProcess = fork(join(import.meta.dirname, 'process.ts'), [url, String(level)]);
  const said: string[] = [];
  child.on('message', ({ msg }: { readonly msg: string }) => said.push(msg));
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  };
  onTestFinished(kill);
  const says = (what: RegExp) =>
    vi.waitFor(() => expect(said.join('\n')).toMatch(what), { timeout: patience, interval: 20 });
  return { said, says, kill, take: (next: number) => child.send(String(next)) };
}

it('of two processes on one Postgres one applies its files, and the other one after that has ended', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const url = await server.fresh();
  const store = await openStore(url);
  onTestFinished(() => store.close());
  const there = async () => (await store.files.held([])).rules.map(({ condition }) => condition);

  const first = await start(url, 1);
  await first.says(/are applied/);
  const second = await start(url, 2);
  await second.says(/another process holds this role/);
  second.take(3);
  first.take(4);
  await first.says(/are applied(.|\n)*are applied/);
  expect([await there(), second.said.length]).toEqual([['price.last > 4'], 1]);

  await first.kill();
  await second.says(/took this role over(.|\n)*are applied/);
  expect(await there()).toEqual(['price.last > 3']);
});
