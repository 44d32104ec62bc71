import { type Loop, startLoop } from '../../runtime/loop.ts';
import { second } from '../../runtime/units.ts';
import { type Events, type Listener, listenerKey, type Opening } from './events.ts';
import type { AlertRow, Viewer } from './ports/alert-feed.ts';
import type { WebPorts } from './ports.ts';
import type { Rooms } from './rooms.ts';

/** Wall ms between two checks of what has changed for the pages. */
const checkInterval = { alerts: second, health: 2 * second };
/** How long a changed alert is read again, wall ms: its deliveries are known somewhat after the change. */
const rereadPeriod = 15 * second;
/** How many alerts a page begins with, besides all firing ones. */
const initialAlerts = 60;
/** How many firing alerts a page begins with at most. */
const maxFiring = 200;

interface LiveOptions extends Pick<WebPorts, 'board' | 'feed' | 'wall'> {
  readonly health: () => Promise<object>;
  readonly viewerOf: (listener: Listener) => Promise<Viewer>;
  readonly log: { error(context: object, message: string): void };
}

/** Returns the current state, for a page that opens its stream. */
export async function openingOf(
  listener: Listener,
  { board, feed, health, viewerOf }: LiveOptions,
): Promise<readonly Opening[]> {
  const viewer = await viewerOf(listener);
  const [now, firing, latest] = await Promise.all([
    health(),
    feed.page(viewer, { limit: maxFiring, firing: true }),
    feed.page(viewer, { limit: initialAlerts }),
  ]);
  const rows = [...new Map([...firing, ...latest].map((row) => [row.id, row])).values()];
  return [
    { event: 'hello', data: JSON.stringify({ language: listener.language }) },
    { event: 'health', data: JSON.stringify(now) },
    { event: 'board', data: JSON.stringify(board.read()) },
    { event: 'alerts', data: JSON.stringify(rows) },
  ];
}

/**
 * Sends the pages what changes, only while any page is open. The board sends its patches; health and alerts are read
 * repeatedly, for all pages together. So the result does not depend on which process watches the market, and the
 * cost does not depend on the number of open pages.
 */
export function startPageUpdates(
  events: Pick<Events, 'publish' | 'broadcast' | 'listeners'>,
  options: LiveOptions & { readonly rooms: Rooms },
): { stop(): Promise<void> } {
  const { board, feed, health, viewerOf, rooms, wall, log } = options;
  const onError = (error: unknown) => log.error({ err: error }, 'could not tell the pages; retrying');
  const isPageOpen = () => events.listeners().length > 0;
  board.onPatch((patch) => {
    let json: string | undefined;
    events.broadcast('board.patch', () => {
      json ??= JSON.stringify(patch);
      return json;
    });
  }, isPageOpen);

  const healthLoop = startLoop(
    async () => {
      if (isPageOpen()) {
        const json = JSON.stringify(await health());
        events.broadcast('health', () => json);
      }
      return checkInterval.health;
    },
    { wall, onError },
  );

  /** For each group of listeners that receive the same: each row as it was last sent. */
  const sentByListener = new Map<string, Map<string, string>>();
  const changedRows = async (listener: Listener, since: number): Promise<readonly AlertRow[]> => {
    const rows = await feed.changed(await viewerOf(listener), since);
    const lastSent = sentByListener.get(listenerKey(listener)) ?? new Map<string, string>();
    const serialized = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
    sentByListener.set(listenerKey(listener), serialized);
    return rows.filter(({ id }) => lastSent.get(id) !== serialized.get(id));
  };
  /** Market ms at which the last turn without a failure began: later changes may be missing on a page. */
  let lastRead = Number.POSITIVE_INFINITY;
  const alertsLoop = startLoop(
    async () => {
      const { now, speed } = feed.clock();
      const since = Math.min(now, lastRead) - rereadPeriod * speed;
      const listeners = events.listeners();
      for (const key of sentByListener.keys())
        if (!listeners.some((each) => listenerKey(each) === key)) sentByListener.delete(key);
      for (const listener of listeners) {
        const rows = await changedRows(listener, since);
        const json = JSON.stringify(rows);
        if (rows.length > 0)
          events.broadcast('alert', (each) =>
            listenerKey(each) === listenerKey(listener) ? json : undefined,
          );
      }
      lastRead = now;
      return checkInterval.alerts;
    },
    { wall, onError },
  );
  return stopAll([healthLoop, alertsLoop, rooms.start(events, { wall, onError })]);
}

const stopAll = (loops: readonly Loop[]) => ({
  stop: async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
  },
});
