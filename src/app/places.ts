import type { Places } from '../platforms/ports.ts';
import type { WallClock } from '../runtime/clock.ts';
import type { Store } from '../store/ports.ts';

/** Stores what becomes of places, with the time at which it happens. @param now market ms */
export const createPlaces = (
  { receivers, settings }: Pick<Store, 'receivers' | 'settings'>,
  { now, wall }: { readonly now: () => number; readonly wall: Pick<WallClock, 'now'> },
): Places => ({
  ...receivers,
  end: (receiver, reason) => receivers.end(receiver, { at: now(), reason }),
  suspend: (resting, reason) => receivers.suspend(resting, { at: now(), wall: wall.now(), reason }),
  wake: (resting) => receivers.wake(resting, now()),
  recall: (name) => settings.get(name),
  remember: (name, value) => settings.put(name, value),
});
