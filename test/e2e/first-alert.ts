import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runScript } from './process/program.ts';

/**
 * Ms to wait. The script runs `npm start` on an empty folder and ends it at its first alert; after this time it exits with 1.
 */
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
const bot = runScript('start', {
  environment: {
    TOCSIN_DATABASE_URL: `file:${join(folder, 'bot.db')}`,
    TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
    TOCSIN_HTTP_PORT: String(port),
  },
});
let over = false;
void bot.says(/(?!)/).catch(() => {
  over = true;
});

let title: string | undefined;
while (title === undefined && !over && performance.now() - began < patience) {
  await delay(100);
  const answer = await fetch(`http://127.0.0.1:${port}/api/alerts`).catch(() => undefined);
  const alerts = answer?.ok ? ((await answer.json()) as { annotations: { title: string } }[]) : [];
  title = alerts[0]?.annotations.title;
}
const after = seconds();
await bot[Symbol.asyncDispose]();
await rm(folder, { recursive: true, force: true });

if (title === undefined) {
  process.stderr.write(`no alert within ${after} s\n${bot.written()}`);
  process.exit(1);
}
process.stdout.write(`the first alert after ${after} s: ${title}\n`);
process.exit(0);
