import { tellOfMessages } from '#src/app/messages.ts';
import type { MessageStore } from '#src/platforms/ports.ts';

/** Messages in memory: the order of first puts, as the store keeps it. */
export function memoryMessages(): MessageStore {
  const kept = new Map<string, { room: string; body: string }>();
  return tellOfMessages({
    put: async ({ id, room, body }) => void kept.set(`${room}/${id}`, { room, body }),
    read: async (id, room) => kept.get(`${room}/${id}`)?.body,
    recent: async (room, n) => [...kept.values()].filter((message) => message.room === room).slice(-n),
  });
}
