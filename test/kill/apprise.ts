import { request as send } from 'undici';
import { startApprise } from '#test/support/apprise.ts';
import type { Ends } from './ends.ts';
import { wishes } from './storm.ts';

const login = { user: 'tocsin', password: 'correct-horse-battery' };

/** Starts an Apprise API server with a key for each entry of `wishes`. Its log identifies a message by its X-Apprise-ID. */
export async function appriseEnds(): Promise<Ends> {
  const names = Object.keys(wishes);
  const apprise = await startApprise({
    ...login,
    services: Object.fromEntries(names.map((name) => [name, []])),
  });
  return {
    notifiers: (origin) => ({ apprise: { url: origin, ...login } }),
    receivers: (name) => [{ notifier: 'apprise', address: { key: name } }],
    async take({ path, headers, body }) {
      const given = Object.fromEntries(
        ['authorization', 'content-type', 'x-apprise-id'].map((name) => [name, String(headers[name])]),
      );
      const answer = await send(apprise.url + path, { method: 'POST', headers: given, body });
      const reply = { status: answer.statusCode, body: await answer.body.text() };
      const told = apprise.told.findLast(
        ({ id, key }) => id === given['x-apprise-id'] && path.endsWith(`/${key}`),
      );
      if (reply.status !== 200 || told === undefined) return reply;
      const text = `${told.title}\n${told.body}`;
      return {
        ...reply,
        arrival: { notifier: 'apprise', receiver: told.key, key: told.id, body: text, act: 'post' },
      };
    },
    close: apprise.close,
  };
}
