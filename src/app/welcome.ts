import { defaultPreset, type PresetName, presetKinds, presets } from '../alert/presets.ts';
import type { Receiver } from '../alert/subscription.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Store } from '../store/ports.ts';

/** A place of the person who runs the bot, with its time zone if that is known. */
interface HomeReceiver {
  readonly receiver: Receiver;
  readonly timeZone?: string;
}

/** Returns the home places of these platforms. @param localTimeZone this machine's time zone */
export const homesOf = (
  platforms: readonly Pick<Platform, 'name' | 'operatorPlace'>[],
  localTimeZone: string,
): readonly HomeReceiver[] =>
  platforms.flatMap(({ name, operatorPlace }) =>
    operatorPlace === undefined
      ? []
      : [
          {
            receiver: { notifier: name, address: operatorPlace.address },
            ...(operatorPlace.isLocal === true && { timeZone: localTimeZone }),
          },
        ],
  );

/**
 * Subscribes the home places on the very first start, as a bare `subscribe` would, so that alerts arrive without a command.
 * A local place gets this machine's time zone. Done once only: a place that unsubscribes stays unsubscribed. Returns `homes`.
 */
export async function welcome(
  store: Store,
  {
    homes,
    kinds,
    now,
  }: {
    readonly homes: readonly HomeReceiver[];
    readonly kinds: readonly { readonly name: string; readonly preset?: PresetName }[];
    readonly now: number;
  },
): Promise<readonly HomeReceiver[]> {
  if ((await store.settings.get('welcomed')) !== undefined) return homes;
  for (const { receiver, timeZone } of homes) {
    if (timeZone !== undefined) await store.preferences.set(receiver, { timeZone });
    const existing = await store.subscriptions.of(receiver);
    if (existing.length > 0) continue;
    await store.subscriptions.add({
      receiver,
      kinds: presetKinds(defaultPreset, kinds),
      symbols: ['*'],
      minSeverity: presets.find(({ name }) => name === defaultPreset)?.minSeverity ?? 'info',
      quietHours: null,
      digest: null,
      mention: null,
      paused: false,
      createdBy: 'first start',
      createdAt: now,
    });
  }
  await store.settings.put('welcomed', 'yes');
  return homes;
}
