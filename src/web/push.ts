import type { PresetName } from '../alert/presets.ts';
import { beginPush, endPush, readPushKey } from './api.ts';
import { kept } from './kept.ts';
import workerUrl from './push-worker.ts?worker&url';
import { access } from './room.ts';

/** The preset of alerts that this browser gets while the page is closed; empty: none. Only this browser knows. */
export const pushed = kept('tocsin.push');

/** What of Trusted Types is used here. */
interface TrustedTypes {
  createPolicy(
    name: 'service-worker',
    rules: { createScriptURL(): string },
  ): { createScriptURL(of: string): string };
}
/** The one policy that the page's headers allow: its only script is this one, whatever it is asked for. */
const policy = (window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('service-worker', {
  createScriptURL: () => workerUrl,
});

/**
 * Whether this browser can be notified while the page is closed: not without TLS, except on this machine. A member is notified in his
 * chats.
 */
const canPush = access !== 'member' && 'serviceWorker' in navigator && 'PushManager' in window;

const subscriptionNow = async (): Promise<PushSubscription | null> =>
  (await (await navigator.serviceWorker.getRegistration(workerUrl))?.pushManager.getSubscription()) ?? null;

/**
 * Has the alerts of a preset sent to this browser, also while the page is closed. Returns false if it or the bot cannot. Throws
 * what keeps them from arriving.
 */
export async function beginPushing(preset: PresetName): Promise<boolean> {
  const key = canPush ? (await readPushKey()).key : null;
  if (key === null) return false;
  const { pushManager } = await navigator.serviceWorker.register(
    policy?.createScriptURL(workerUrl) ?? workerUrl,
  );
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = await pushManager.subscribe(wanted).catch(async (error: unknown) => {
    // It subscribed with the key of a database that is gone.
    if (!(await (await pushManager.getSubscription())?.unsubscribe())) throw error;
    return pushManager.subscribe(wanted);
  });
  await beginPush(subscription.toJSON(), preset);
  pushed.value = preset;
  return true;
}

export async function endPushing(): Promise<void> {
  pushed.value = '';
  const subscription = canPush ? await subscriptionNow() : null;
  if (subscription === null) return;
  // The push service refuses from then on, which ends it for a bot that does not hear of it now.
  await subscription.unsubscribe();
  await endPush(subscription.toJSON());
}
