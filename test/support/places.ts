import { type Receiver, receiverKey } from '#src/alert/subscription.ts';
import type { Places } from '#src/platforms/platform.ts';

/** What a platform did to receivers, in words, oldest first; receivers are known by being given. */
export function memoryPlaces(known: readonly Receiver[] = []) {
  const did: string[] = [];
  const facts = new Map<string, string>();
  const places: Places = {
    end: async (receiver) => void did.push(`end ${receiverKey(receiver)}`),
    move: async (from, to) => void did.push(`move ${receiverKey(from)} ${receiverKey(to)}`),
    find: async (notifier, field, value) =>
      known.filter((each) => each.notifier === notifier && each.address[field] === value),
    rest: async (receivers, until) =>
      void did.push(...receivers.map((each) => `rest ${receiverKey(each)} ${until}`)),
    wake: async (receivers) => void did.push(...receivers.map((each) => `wake ${receiverKey(each)}`)),
    recall: async (name) => facts.get(name),
    remember: async (name, value) => void facts.set(name, value),
  };
  return { places, did, facts };
}
