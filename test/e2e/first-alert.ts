import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runScript } from './process/program.ts';

/**
 * The script runs `npm start` on an empty folder, and ends it once a newcomer has been greeted and has been sent an alert, both
 * in the terminal and in the page's room. It exits with 1 if the greeting or the first alert of the page's list comes later
 * than `soon`, or the alert that is sent later than `patience`, ms.
 */
const soon = 60_000;
const patience = 240_000;
const greeting = 'Tocsin is here';

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

interface Sent {
  readonly outcome: string;
  readonly title: string;
  readonly receiver: { readonly notifier: string };
}
const page = `http://127.0.0.1:${port}`;
const read = async <Answer>(path: string): Promise<readonly Answer[]> => {
  const answer = await fetch(`${page}${path}`).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as readonly Answer[]) : [];
};
const within = async (
  limit: number,
  found: () => Promise<string | undefined>,
): Promise<string | undefined> => {
  while (!over && performance.now() - began < limit) {
    const one = await found();
    if (one !== undefined) return `after ${seconds()} s: ${one}`;
    await delay(100);
  }
  return undefined;
};

/** Reads the page's room until it has what is looked for. */
async function inRoom(text: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(5_000);
  try {
    const events = await fetch(`${page}/api/events?room=main`, { signal });
    let seen = '';
    for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      seen += chunk;
      if (seen.includes(text)) return text;
    }
  } catch {
    // Not started yet, or nothing of it within the time.
  }
  return undefined;
}

const sentBy = (notifier: string) => async () =>
  (await read<Sent>('/api/deliveries')).find(
    ({ outcome, receiver }) => outcome === 'sent' && receiver.notifier === notifier,
  )?.title;
const steps: readonly (readonly [what: string, found: string | undefined])[] = [
  [
    'greeting in the terminal',
    await within(soon, async () => (bot.written().includes(greeting) ? greeting : undefined)),
  ],
  ['greeting in the page’s room', await within(soon, () => inRoom(greeting))],
  [
    'first alert of the page’s list',
    await within(
      soon,
      async () => (await read<{ annotations: { title: string } }>('/api/alerts'))[0]?.annotations.title,
    ),
  ],
  ['first alert sent to the terminal', await within(patience, sentBy('terminal'))],
  ['first alert sent to the page’s room', await within(patience, sentBy('web'))],
];
await bot[Symbol.asyncDispose]();
await rm(folder, { recursive: true, force: true });

for (const [what, found] of steps) process.stdout.write(`${what}: ${found ?? 'did not come'}\n`);
const isWell = steps.every(([, found]) => found !== undefined);
if (!isWell) process.stderr.write(bot.written());
process.exit(isWell ? 0 : 1);
