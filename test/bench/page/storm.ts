import type { Browser } from 'playwright-core';
import type { AlertRow } from '#src/platforms/web/ports/alert-feed.ts';
import { minute } from '#src/runtime/units.ts';
import { alertRow, someBoard } from '#test/support/board.ts';
import { alertCard, marketNow, noAlerts, startConsole } from '#test/support/console.ts';
import type { Figure } from '../measuring/figures.ts';
import { pause, type Watched, watch } from './watching.ts';

const aMinute = 500;
/** Minutes after which the page holds as many alerts and messages as it ever does. */
const full = 2;
/** Most alerts in one update: the bot repeats those of the last seconds. */
const told = 250;

/** Starts a console whose alerts end after a minute; each is posted in the chat and edited when it ends. */
async function startStorm() {
  const rows = new Map<string, AlertRow>();
  let changed: AlertRow[] = [];
  const now = () => [...rows.values()];
  const feed = {
    ...noAlerts,
    page: async () => now().slice(-told),
    changed: async () => changed.slice(-told),
  };
  const console = await startConsole({ board: { read: someBoard, onPatch: () => {} }, feed });
  const change = async (row: AlertRow) => {
    rows.set(row.id, row);
    if (rows.size > 2 * aMinute) rows.delete(rows.keys().next().value ?? '');
    changed = [...changed.slice(-told), row];
    await console.publish({
      id: row.id,
      room: 'main',
      edited: row.endsAt !== null,
      card: { ...alertCard, title: row.title, status: row.status },
    });
  };
  let begun = 0;
  const fire = async (at: number) => {
    const n = begun++;
    const given = {
      symbol: `M${n % 30}USDT`,
      title: `M${n % 30} ${n}`,
      groupName: `group ${n % 40}`,
      startsAt: marketNow + at,
      updatedAt: marketNow + at,
    };
    await change(alertRow(`s${n}`, given));
    const past = rows.get(`s${n - aMinute}`);
    if (past === undefined) return;
    const endsAt = marketNow + at;
    await change({ ...past, status: 'resolved', revision: 2, updatedAt: endsAt, endsAt });
  };
  return { console, fire };
}

interface Held {
  /** Bytes of the page's heap after a collection. */
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
  /** Processor seconds of the main thread so far. */
  readonly worked: number;
}

async function heldBy({ devtools }: Watched): Promise<Held> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await devtools.send('Memory.getDOMCounters');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const worked = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  return { heap: usedSize, nodes, listeners: jsEventListeners, worked };
}

export async function measureStorm(browser: Browser, minutes: number): Promise<readonly Figure[]> {
  const { console, fire } = await startStorm();
  const watched = await watch(browser);
  try {
    // The task time is counted in processor time of the thread, so that other work of the machine does not count.
    await watched.devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await watched.page.goto(console.url);
    await watched.page.locator('table.markets tbody tr').first().waitFor();
    const held: Held[] = [];
    const begun = performance.now();
    for (let n = 0; n < minutes * aMinute; n += 1) {
      const at = (n / aMinute) * minute;
      await pause(Math.max(0, at - (performance.now() - begun)));
      await fire(at);
      if ((n + 1) % aMinute === 0) held.push(await heldBy(watched));
    }
    const took = (performance.now() - begun) / 1_000;
    const [first, last] = [held[full - 1] ?? held[0], held.at(-1)];
    if (first === undefined || last === undefined) throw new Error('a storm lasts a minute at least');
    const grown = (of: keyof Held) => last[of] - first[of];
    const rest = held.slice(full - 1).map(({ heap }) => heap / 1e6);
    return [
      {
        name: `heap after ${full} minutes, when all is held that ever is`,
        value: first.heap / 1e6,
        unit: 'MB',
      },
      { name: 'heap grown by from then on', value: grown('heap') / 1e6, unit: 'MB', bound: { most: 1 } },
      { name: '  between its least and its most', value: Math.max(...rest) - Math.min(...rest), unit: 'MB' },
      { name: 'nodes', value: first.nodes, unit: '' },
      { name: 'nodes grown by', value: grown('nodes'), unit: '', bound: { most: first.nodes / 20 } },
      {
        name: 'listeners grown by',
        value: grown('listeners'),
        unit: '',
        bound: { most: first.listeners / 20 },
      },
      { name: 'of one core, for the page’s thread', value: (100 * last.worked) / took, unit: '%' },
      { name: 'the longest task', value: (await watched.noticed()).longest, unit: 'ms' },
      {
        name: 'alerts a minute',
        value: (minutes * aMinute * 60) / took,
        unit: '',
        bound: { least: 0.98 * aMinute },
      },
    ];
  } finally {
    await watched.close();
    await console.close();
  }
}
