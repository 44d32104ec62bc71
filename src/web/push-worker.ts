import type { PushMessage } from '../platforms/push/notifier.ts';

/** What of a service worker is used here: the page's own types have no workers. */
interface Worker {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(given: {
      readonly type: 'window';
      readonly includeUncontrolled: true;
    }): Promise<readonly { readonly url: string; focus(): Promise<unknown> }[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(
    type: 'push' | 'notificationclick',
    listener: (event: {
      readonly data: { json(): unknown };
      readonly notification: Notification;
      waitUntil(work: Promise<unknown>): void;
    }) => void,
  ): void;
}
const worker = self as unknown as Worker;

worker.addEventListener('push', (event) => {
  const { tag, title, body, silent } = event.data.json() as PushMessage;
  // `renotify` rings again although the notification of the tag is only replaced.
  const options = { tag, body, silent, renotify: !silent };
  event.waitUntil(worker.registration.showNotification(title, options));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openAlerts());
});

/** Shows a page of the bot that is open, or opens its alerts. */
async function openAlerts(): Promise<unknown> {
  const [page] = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return page?.focus() ?? worker.clients.openWindow('/alerts');
}
