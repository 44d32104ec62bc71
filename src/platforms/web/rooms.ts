import { type Loop, startLoop } from '../../runtime/loop.ts';
import { second } from '../../runtime/units.ts';
import type { Events } from './events.ts';
import type { WebPorts } from './ports.ts';

/** Wall ms between two looks for messages that other processes have stored. */
const interval = 2 * second;

/** Rooms whose pages are all closed are remembered, because a page that reconnects gets only what it lacks. */
const maxRooms = 64;

export interface Rooms {
  /** Returns the newest messages (JSON) of a room, for a page that opens. */
  recent(room: string): Promise<readonly string[]>;
  /**
   * Sends the pages each message: at once if this process stores it, otherwise when it is found. Alerts are posted by the
   * process that delivers to pages, which is another one for half of the pages where two processes serve them.
   */
  start(
    events: Pick<Events, 'publish' | 'listeners'>,
    given: Pick<WebPorts, 'wall'> & { readonly onError: (error: unknown) => void },
  ): Loop;
}

/** @param limit how many of a room's newest messages a page shows */
export function createRooms(
  messages: Pick<WebPorts['messages'], 'recent' | 'onPut' | 'shared'>,
  limit: number,
): Rooms {
  /** By room: the messages that its pages have, as far as they are among the newest. */
  const shown = new Map<string, Set<string>>();
  const read = async (room: string) => (await messages.recent(room, limit)).map(({ body }) => body);

  const publishFound = async (room: string, events: Pick<Events, 'publish'>) => {
    const known = shown.getOrInsertComputed(room, () => new Set());
    const size = known.size;
    const bodies = await read(room);
    for (const body of bodies) if (!known.has(body)) events.publish(room, body);
    // What this process has stored and published during the read.
    const added = [...known].slice(size);
    shown.set(room, new Set([...bodies, ...added]));
  };

  return {
    async recent(room) {
      const bodies = await read(room);
      if (messages.shared) shown.getOrInsertComputed(room, () => new Set(bodies));
      return bodies;
    },
    start(events, { wall, onError }) {
      messages.onPut((room, body) => {
        events.publish(room, body);
        if (messages.shared) shown.get(room)?.add(body);
      });
      return startLoop(
        async () => {
          if (!messages.shared) return Number.POSITIVE_INFINITY;
          const rooms = new Set(events.listeners().map(({ room }) => room));
          for (const [room, bodies] of shown)
            if (bodies.size > 2 * limit) shown.set(room, new Set([...bodies].slice(-limit)));
          for (const room of [...shown.keys()].slice(0, -maxRooms)) if (!rooms.has(room)) shown.delete(room);
          for (const room of rooms) await publishFound(room, events);
          return interval;
        },
        { wall, onError },
      );
    },
  };
}
