import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { PastJob } from '#src/preview/job.ts';
import { replayInProcess } from '#src/preview/process.ts';
import { ownFolder } from '../support/folder.ts';

const job: PastJob = {
  over: { seen: [], universe: [] },
  from: 0,
  to: 1,
  inhibitRules: [],
  what: { rules: [] },
};

/** Returns the URL of a program that runs `body` with the job as `job`. */
async function programOf(body: string): Promise<URL> {
  const file = join(await ownFolder(), 'program.mjs');
  writeFileSync(file, `process.on('message', (job) => { ${body} });`);
  return pathToFileURL(file);
}

it('answers with the past that the process sends', async () => {
  const replay = replayInProcess(await programOf('process.send({ past: { from: job.from, to: job.to } })'));
  expect(await replay(job, new AbortController().signal)).toEqual({ from: 0, to: 1 });
});

it.each([
  ['says what the problem is', "process.send({ problem: 'no such archive' })", 'no such archive'],
  ['ends without an answer', 'process.exit(3)', 'ended with 3'],
])('rejects if the process %s', async (_, body, problem) => {
  await expect(replayInProcess(await programOf(body))(job, new AbortController().signal)).rejects.toThrow(
    problem,
  );
});

it('gives the process none of the bot’s secrets', async () => {
  vi.stubEnv('DISCORD_TOKEN', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  const replay = replayInProcess(
    await programOf('process.send({ past: process.env.DISCORD_TOKEN ?? null })'),
  );
  expect(await replay(job, new AbortController().signal)).toBeNull();
});

it('ends the process when the signal aborts', async () => {
  const file = join(await ownFolder(), 'pid');
  const program = await programOf(`
    process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid));
    for (;;);
  `);
  const aborting = new AbortController();
  const replayed = replayInProcess(program)(job, aborting.signal);
  const pid = await vi.waitFor(() => Number(readFileSync(file, 'utf8')) || Promise.reject(), 10_000);
  aborting.abort(new Error('no longer wanted'));
  await expect(replayed).rejects.toThrow('no longer wanted');
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

it('rejects if the system starts no process', async () => {
  const program = await programOf('');
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = join(await ownFolder(), 'no-node');
  await expect(replayInProcess(program)(job, new AbortController().signal)).rejects.toThrow('ENOENT');
});
