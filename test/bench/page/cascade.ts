import type { Browser } from 'playwright-core';
import type { AlertRow } from '#src/platforms/web/ports/alert-feed.ts';
import { alertRow, someBoard } from '#test/support/board.ts';
import { marketNow, noAlerts, startConsole } from '#test/support/console.ts';
import type { Figure } from '../measuring/figures.ts';
import { type Noticed, pause, watch } from './watching.ts';

const times = 5;
const alerts = 50;
const steps = 12;
const lasts = 3_000;
/** Ms to wait after the cascade, which exceeds the longest pause between two announcements. */
const after = 3_000;

/** A script that causes a long task, which must be noticed: otherwise noticing none would prove nothing. */
const busy = `new Promise((done) => setTimeout(() => {
  const until = performance.now() + 120;
  while (performance.now() < until);
  setTimeout(done, 500);
}))`;

async function once(browser: Browser): Promise<Noticed & { readonly idle: number }> {
  let now: readonly AlertRow[] = [];
  const console = await startConsole({
    board: { read: someBoard, onPatch: () => {} },
    feed: { ...noAlerts, page: async () => now, changed: async () => now },
  });
  const { page, noticed, forget, close } = await watch(browser);
  try {
    await page.goto(console.url);
    await page.getByText('No alerts yet').waitFor();
    await pause(1_000);
    await page.evaluate(busy);
    if ((await noticed()).longest < 100) throw new Error('long tasks are not noticed in this browser');
    await forget();
    await pause(lasts + after);
    const { longest: idle } = await noticed();
    await forget();
    const cascade = Array.from({ length: alerts }, (_, n) =>
      alertRow(`c${n}`, {
        symbol: `M${n}USDT`,
        startsAt: marketNow + n,
        groupName: ['OI unwinds', 'moves', 'liquidations'][n % 3] ?? '',
      }),
    );
    for (let step = 1; step <= steps; step += 1) {
      now = cascade.slice(0, Math.round((alerts * step) / steps));
      await pause(lasts / steps);
    }
    await pause(after);
    return { ...(await noticed()), idle };
  } finally {
    await close();
    await console.close();
  }
}

export async function measureCascade(browser: Browser): Promise<readonly Figure[]> {
  const runs: Awaited<ReturnType<typeof once>>[] = [];
  for (let n = 0; n < times; n += 1) runs.push(await once(browser));
  const worst = (of: (run: (typeof runs)[number]) => number) => Math.max(...runs.map(of));
  return [
    { name: 'rows', value: worst(({ rows }) => rows), unit: '', bound: { most: 3 } },
    { name: 'announcements', value: worst(({ said }) => said), unit: '', bound: { most: 3 } },
    { name: 'the longest task', value: worst(({ longest }) => longest), unit: 'ms', bound: { most: 100 } },
    { name: '  of as long without alerts', value: worst(({ idle }) => idle), unit: 'ms' },
    { name: 'layout shift', value: worst(({ shift }) => shift), unit: '', bound: { most: 0.02 } },
  ];
}
