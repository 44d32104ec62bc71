import { type PresetName, presetKinds, presets, usualPreset } from '../alert/presets.ts';
import type { Receiver } from '../alert/subscription.ts';
import type { Store } from '../store/store.ts';

/** The web console's one room, and the terminal. */
export const mainRoom: Receiver = { notifier: 'web', address: { room: 'main' } };
export const terminalReceiver: Receiver = { notifier: 'terminal', address: {} };

/**
 * On the very first start the console and the terminal are subscribed as by a bare `subscribe`, so that something
 * arrives without a word typed, in the terminal by its own clock. Once only: who unsubscribes stays so.
 */
export async function welcome(
  store: Store,
  notifiers: readonly string[],
  {
    kinds,
    now,
    timeZone,
  }: {
    readonly kinds: readonly { readonly name: string; readonly preset?: PresetName }[];
    readonly now: number;
    readonly timeZone: string;
  },
): Promise<void> {
  if ((await store.settings.get('welcomed')) !== undefined) return;
  for (const receiver of [mainRoom, terminalReceiver]) {
    if (!notifiers.includes(receiver.notifier)) continue;
    const already = await store.subscriptions.of(receiver);
    if (already.length > 0) continue;
    await store.subscriptions.add({
      receiver,
      kinds: presetKinds(usualPreset, kinds),
      symbols: ['*'],
      minSeverity: presets.find(({ name }) => name === usualPreset)?.minSeverity ?? 'info',
      quietHours: null,
      digest: null,
      mention: null,
      paused: false,
      createdBy: 'first start',
      createdAt: now,
    });
  }
  await store.preferences.set(terminalReceiver, { timeZone });
  await store.settings.put('welcomed', 'yes');
}
