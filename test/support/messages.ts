import { withMessageListeners } from '#src/app/platforms.ts';
import type { MessageStore } from '#src/platforms/ports.ts';

/** Creates a message store in memory, with messages in the order in which each was first put, as in the real store. */
export function memoryMessages(): MessageStore {
  const kept = new Map<string, { room: string; body: string }>();
  return withMessageListeners({
    shared: false,
    put: async ({ id, room, body }) => void kept.set(`${room}/${id}`, { room, body }),
    read: async (id, room) => kept.get(`${room}/${id}`)?.body,
    recent: async (room, n) => [...kept.values()].filter((message) => message.room === room).slice(-n),
  });
}
