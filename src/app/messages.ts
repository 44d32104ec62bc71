import type { MessageStore, NotifierPorts } from '../platforms/ports.ts';
import type { Store } from '../store/store.ts';

/** What notifiers find again after a restart. */
export const memoryOf = ({
  messages,
  settings,
}: Pick<Store, 'messages' | 'settings'>): Pick<NotifierPorts, 'messages' | 'recall'> => ({
  messages: tellOfMessages(messages),
  recall: (name) => settings.get(name),
});

/** The messages that are kept here, and word of each one to whoever shows them. */
export function tellOfMessages(kept: Omit<MessageStore, 'onPut'>): MessageStore {
  const listeners = new Set<Parameters<MessageStore['onPut']>[0]>();
  return {
    ...kept,
    async put({ id, room, body }) {
      await kept.put({ id, room, body });
      for (const listener of listeners) listener(room, body);
    },
    onPut: (listener) => void listeners.add(listener),
  };
}
