import type { Page } from 'playwright-core';
import type { AlertFeed } from '#src/platforms/web/ports/alert-feed.ts';
import { hour } from '#src/runtime/units.ts';
import { alertRow, someBoard } from './board.ts';
import { alertCard, marketNow, noAlerts, startConsole } from './console.ts';

/** Paths of the page's views; two show one market, one alert. */
export const views = [
  'now',
  'market/ETHUSDT',
  'alerts',
  'alerts/a3',
  'chat',
  'rules',
  'record',
  'health',
] as const;

const rows = [
  alertRow('a1', {
    severity: 'critical',
    title: 'Liquidation cascade: $4.1M of longs in 10 min across 27 markets',
  }),
  alertRow('a2', {
    startsAt: marketNow - 2 * hour,
    endsAt: marketNow - hour,
    status: 'resolved',
    title: 'ETH funding is extreme: longs pay 0.0910%',
  }),
  alertRow('a3', {
    startsAt: marketNow - 4 * hour,
    endsAt: marketNow - 3 * hour,
    status: 'resolved',
    delivery: 'held',
    reason: 'quiet hours until 07:00',
    title: 'SOL +5.20% in 5 min',
  }),
];
const feed: AlertFeed = {
  ...noAlerts,
  page: async () => rows,
  changed: async () => [],
  life: async (_, id) => ({
    row: rows.find((row) => row.id === id) ?? alertRow(id),
    card: alertCard,
    states: [{ at: marketNow, state: 'began' }],
    deliveries: [],
  }),
};

/** Starts a console that has something to show in every view. */
export async function startFull(): ReturnType<typeof startConsole> {
  const console = await startConsole({
    board: { read: someBoard, onPatch: () => {} },
    feed,
    ask: async (request) =>
      String(request).startsWith('chart ') ? alertCard : { title: `You said ${request}` },
  });
  await console.post(alertCard);
  return console;
}

/** Opens a view and waits until all its requests are answered. */
export async function show(
  page: Page,
  { url, view }: { readonly url: string; readonly view: (typeof views)[number] },
): Promise<void> {
  await page.goto(`${url}/${view === 'now' ? '' : view}`);
  await page.locator('.connection[data-state=open]').waitFor({ state: 'attached' });
  await page.locator('.empty.waiting').waitFor({ state: 'detached' });
}
