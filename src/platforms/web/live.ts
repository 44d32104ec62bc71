import { type Loop, startLoop } from '../../runtime/loop.ts';
import { second } from '../../runtime/units.ts';
import type { AlertRow, Viewer } from '../alert-feed.ts';
import type { Ports } from '../ports.ts';
import { type Events, type Listener, type Opening, sameListener } from './events.ts';

/** Wall ms between two checks of what has changed for the pages. */
const every = { alerts: second, health: 2 * second };
/** How long a changed alert is read again, wall ms: its deliveries are known somewhat after the change. */
const afterwards = 15 * second;
/** How many alerts a page begins with, besides all firing ones. */
const shown = 60;
/** How many firing alerts a page begins with at most. */
const mostFiring = 200;

export interface LiveOptions extends Pick<Ports, 'board' | 'feed' | 'wall'> {
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
    feed.page(viewer, { limit: mostFiring, firing: true }),
    feed.page(viewer, { limit: shown }),
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
 * Sends the pages what changes. The board sends its patches; health and alerts are read repeatedly, for all pages
 * together and only while any page is open. So the result does not depend on which process watches the market, and the
 * cost does not depend on the number of open pages.
 */
export function tellPages(events: Events, options: LiveOptions): { stop(): Promise<void> } {
  const { board, feed, health, viewerOf, wall, log } = options;
  const onError = (error: unknown) => log.error({ err: error }, 'could not tell the pages; retrying');
  board.onPatch((patch) => {
    let json: string | undefined;
    events.tell('board.patch', () => {
      json ??= JSON.stringify(patch);
      return json;
    });
  });

  const healthLoop = startLoop(
    async () => {
      if (events.listeners().length > 0) {
        const json = JSON.stringify(await health());
        events.tell('health', () => json);
      }
      return every.health;
    },
    { wall, onError },
  );

  /** For each group of listeners that receive the same: each row as it was last sent. */
  const sent = new Map<string, Map<string, string>>();
  const news = async (listener: Listener): Promise<readonly AlertRow[]> => {
    const { now, speed } = feed.clock();
    const since = now - afterwards * speed;
    const rows = await feed.changed(await viewerOf(listener), since);
    const before = sent.get(sameListener(listener)) ?? new Map<string, string>();
    const said = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
    sent.set(sameListener(listener), said);
    return rows.filter(({ id }) => before.get(id) !== said.get(id));
  };
  const alertsLoop = startLoop(
    async () => {
      const listeners = events.listeners();
      for (const name of sent.keys())
        if (!listeners.some((each) => sameListener(each) === name)) sent.delete(name);
      for (const listener of listeners) {
        const rows = await news(listener);
        const json = JSON.stringify(rows);
        if (rows.length > 0)
          events.tell('alert', (each) => (sameListener(each) === sameListener(listener) ? json : undefined));
      }
      return every.alerts;
    },
    { wall, onError },
  );
  return stopping([healthLoop, alertsLoop]);
}

const stopping = (loops: readonly Loop[]) => ({
  stop: async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
  },
});
