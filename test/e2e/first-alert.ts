import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Starts the bot as `npm start` does, on an empty folder, and ends it at its first alert. Exit code 1 after a minute. */
const patience = 60_000;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

const folder = await mkdtemp(join(tmpdir(), 'tocsin-first-alert-'));
const port = await freePort();
const began = performance.now();
const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
const bot = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts', 'start'], {
  env: {
    ...process.env,
    TOCSIN_DATABASE_URL: `file:${join(folder, 'bot.db')}`,
    TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
    TOCSIN_HTTP_PORT: String(port),
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const ended = new Promise<void>((resolve) => bot.once('exit', () => resolve()));

let title: string | undefined;
while (title === undefined && bot.exitCode === null && performance.now() - began < patience) {
  await delay(250);
  const answer = await fetch(`http://127.0.0.1:${port}/api/alerts`).catch(() => undefined);
  const alerts = answer?.ok ? ((await answer.json()) as { annotations: { title: string } }[]) : [];
  title = alerts[0]?.annotations.title;
}
bot.kill('SIGTERM');
await Promise.race([ended, delay(10_000)]);
if (bot.exitCode === null) bot.kill('SIGKILL');
await rm(folder, { recursive: true, force: true });

if (title === undefined) {
  process.stderr.write(`no alert within ${seconds()} s\n`);
  process.exit(1);
}
process.stdout.write(`the first alert after ${seconds()} s: ${title}\n`);
process.exit(0);
