import { expect, it } from 'vitest';
import { UserError } from '#src/language/errors.ts';
import { msg } from '#src/language/text.ts';
import { newKey, publicKey } from '#src/platforms/push/vapid.ts';
import type { PushDesk } from '#src/platforms/web/ports/push-desk.ts';
import { inBrowser } from '#test/support/browser.ts';

/** Script that gives the browser a push subscription, which no push service can give it here. */
const subscribing = `
  Notification.requestPermission = async () => 'granted';
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
  let subscription = null;
  PushManager.prototype.getSubscription = async () => subscription;
  PushManager.prototype.subscribe = async (wanted) => {
    globalThis.wanted = wanted;
    return (subscription = {
      toJSON: () => ({ endpoint: 'https://push.example/x', keys: { p256dh: 'p', auth: 'a' } }),
      unsubscribe: async () => { subscription = null; return true; },
    });
  };
`;

const desk = (given: Partial<PushDesk> = {}) => {
  const told: string[] = [];
  const key = publicKey(newKey());
  const push: PushDesk = {
    key: async () => key,
    begin: async ({ endpoint }, { preset }) => void told.push(`${preset} to ${endpoint}`),
    end: async ({ endpoint }) => void told.push(`nothing to ${endpoint}`),
    ...given,
  };
  return { push, told, key };
};

inBrowser('notifications of a page that is closed', ({ open }) => {
  it('begin with one switch, follow the choice of alerts over a reload, and end with the switch', async () => {
    const { push, told, key } = desk();
    const { page } = await open('/alerts', { push });
    await page.addInitScript(subscribing);
    await page.reload();
    await page.getByLabel('notify this browser').check();
    const alerts = page.getByLabel('Alerts in this browser while the page is closed');
    await alerts.waitFor();
    expect(await page.evaluate('globalThis.wanted')).toEqual({
      userVisibleOnly: true,
      applicationServerKey: key,
    });
    await alerts.selectOption('quiet');
    await expect
      .poll(() => told)
      .toEqual(['standard to https://push.example/x', 'quiet to https://push.example/x']);
    await page.reload();
    expect(await alerts.inputValue()).toBe('quiet');
    await alerts.selectOption('everything');
    await expect.poll(() => told.at(-1)).toBe('everything to https://push.example/x');
    await page.getByLabel('notify this browser').uncheck();
    await expect.poll(() => told.at(-1)).toBe('nothing to https://push.example/x');
    expect(await alerts.count()).toBe(0);
    expect(page.wrong).toEqual([]);
  });

  it('what keeps them from arriving is said, and the page still notifies while it is open', async () => {
    const { push } = desk({
      begin: async () => {
        throw new UserError(msg('This browser cannot be notified.'), { code: 'invalid' });
      },
    });
    const { page } = await open('/alerts', { push });
    await page.addInitScript(subscribing);
    await page.reload();
    await page.getByLabel('notify this browser').check();
    await page.getByRole('alert').getByText('This browser cannot be notified.').waitFor();
    expect(await page.getByLabel('notify this browser').isChecked()).toBe(true);
  });

  it('are shown by the page’s service worker: one for an alert, without a sound where it only changes', async () => {
    const { push } = desk();
    const { page, url } = await open('/alerts', { push }, { permissions: ['notifications'] });
    await page.addInitScript(subscribing);
    await page.reload();
    await page.getByLabel('notify this browser').check();
    await page.getByLabel('Alerts in this browser while the page is closed').waitFor();
    const session = await page.context().newCDPSession(page);
    const registration = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
        const active = versions.find(({ status }) => status === 'activated');
        if (active !== undefined) resolve(active.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    const registrationId = await registration;
    const deliver = (message: object) =>
      session.send('ServiceWorker.deliverPushMessage', {
        origin: new URL(url).origin,
        registrationId,
        data: JSON.stringify(message),
      });
    const [worker] = page.context().serviceWorkers();
    // A browser without a screen shows none: what it is asked to show is what counts.
    await worker?.evaluate(`
      globalThis.shown = [];
      registration.showNotification = async (title, given) => void shown.push({ title, ...given });
    `);
    const shown = () => worker?.evaluate('globalThis.shown') as Promise<object[]>;
    const first = { tag: 'a', title: 'BTC fell 5 %', body: 'in 10 min', silent: false };
    await deliver(first);
    await expect.poll(shown).toEqual([{ ...first, renotify: true }]);
    const over = { ...first, title: 'It is over', silent: true };
    await deliver(over);
    await expect.poll(async () => (await shown())?.[1]).toEqual({ ...over, renotify: false });
  });
});
