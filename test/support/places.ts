import { type Receiver, receiverKey, receiverOfKey } from '#src/alert/subscription.ts';
import type { Places } from '#src/platforms/ports.ts';

/**
 * Places in memory that survive a platform, as a database would. Records in words what it did to receivers, oldest first;
 * `known` are the receivers that exist.
 */
export function memoryPlaces(known: readonly Receiver[] = []) {
  const did: string[] = [];
  const resting = new Set<string>();
  const facts = new Map<string, string>();
  const places: Places = {
    end: async (receiver) => void did.push(`end ${receiverKey(receiver)}`),
    move: async (from, to) => void did.push(`move ${receiverKey(from)} ${receiverKey(to)}`),
    find: async ({ notifier, field, value }) =>
      known.filter((each) => each.notifier === notifier && String(each.address[field]) === value),
    async suspend(receivers) {
      for (const key of receivers.map(receiverKey)) {
        resting.add(key);
        did.push(`rest ${key}`);
      }
    },
    suspended: async ({ notifier, field, value }) =>
      [...resting]
        .map(receiverOfKey)
        .filter((each) => each.notifier === notifier && each.address[field] === value),
    async wake(receivers) {
      for (const key of receivers.map(receiverKey)) if (resting.delete(key)) did.push(`wake ${key}`);
    },
    recall: async (name) => facts.get(name),
    remember: async (name, value) => void facts.set(name, value),
  };
  return { places, did, facts, resting: () => [...resting].map(receiverOfKey) };
}
