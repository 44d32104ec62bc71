import type { MessageStore, NotifierPorts } from '../platforms/ports.ts';
import type { Store } from '../store/ports.ts';
import type { Config } from './config/config.ts';

/** Returns what notifiers find again after a restart: stored messages and remembered facts. */
export const memoryOf = (
  { messages, settings }: Pick<Store, 'messages' | 'settings'>,
  { database }: Pick<Config, 'database'>,
): Pick<NotifierPorts, 'messages' | 'recall'> => ({
  // A SQLite file belongs to one process.
  messages: withMessageListeners({ ...messages, shared: !database.startsWith('file:') }),
  recall: (name) => settings.get(name),
});

/** Adds listeners to the message store, which are told of each message once it is stored. */
export function withMessageListeners(messages: Omit<MessageStore, 'onPut'>): MessageStore {
  const listeners = new Set<Parameters<MessageStore['onPut']>[0]>();
  return {
    ...messages,
    async put(given) {
      await messages.put(given);
      for (const listener of listeners) listener(given.room, given.body);
    },
    onPut: (listener) => void listeners.add(listener),
  };
}
