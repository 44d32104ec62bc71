import type { Receiver } from '#src/alert/subscription.ts';
import { plainReader, say } from '#src/language/say.ts';
import type { Store } from '#src/store/ports.ts';
import { storms, wishes } from './storm.ts';

/** Returns the count that each storm has reached. */
export async function counted(store: Store): Promise<ReadonlyMap<string, number>> {
  const states = storms.map(async ({ name, state }): Promise<[string, number]> => {
    const kept = await store.detectors.state(name);
    return [name, kept === undefined ? 0 : state.parse(kept).n];
  });
  return new Map(await Promise.all(states));
}

/** A limit that exceeds the number of deliveries. */
const everyDelivery = 1_000_000;

/** Returns by the name of its wishes the titles of a receiver's deliveries that are logged as possibly doubled. */
export async function possiblyDoubled(
  store: Store,
  receiverOf: (name: string) => Receiver | undefined,
): Promise<Map<string, string[]>> {
  const noted = new Map<string, string[]>();
  for (const name of Object.keys(wishes)) {
    const receiver = receiverOf(name);
    const rows = receiver === undefined ? [] : await store.deliveries.recent(receiver, everyDelivery);
    const doubtful = rows.filter(({ reason }) => reason?.code === 'possibly_doubled');
    noted.set(
      name,
      doubtful.map(({ title }) => say(title, plainReader)),
    );
  }
  return noted;
}
