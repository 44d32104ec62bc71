import type { MessageStore, NotifierPorts } from '../platforms/ports.ts';
import type { Store } from '../store/store.ts';

/** Returns what notifiers find again after a restart: stored messages and remembered facts. */
export const memoryOf = ({
  messages,
  settings,
}: Pick<Store, 'messages' | 'settings'>): Pick<NotifierPorts, 'messages' | 'recall'> => ({
  messages: withMessageListeners(messages),
  recall: (name) => settings.get(name),
});

/** Adds listeners to the message store, which are told of each message once it is stored. */
export function withMessageListeners(messages: Omit<MessageStore, 'onPut'>): MessageStore {
  const listeners = new Set<Parameters<MessageStore['onPut']>[0]>();
  return {
    ...messages,
    async put({ id, room, body }) {
      await messages.put({ id, room, body });
      for (const listener of listeners) listener(room, body);
    },
    onPut: (listener) => void listeners.add(listener),
  };
}
