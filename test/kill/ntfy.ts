import { request as send } from 'undici';
import { type Published, startNtfy } from '#test/support/ntfy.ts';
import type { Ends } from './ends.ts';

const token = 'tk_publishes';
/** The priority at which nothing is heard. */
const silent = 2;

/** An ntfy server with a topic for each of the wishes; what comes silently under a sequence id that stands there edits it. */
export async function ntfyEnds(): Promise<Ends> {
  const ntfy = await startNtfy({ token });
  const standing = new Set<string>();
  return {
    notifiers: (origin) => ({ ntfy: { url: origin, token } }),
    receivers: (topic) => [{ notifier: 'ntfy', address: { topic } }],
    async take({ path, headers, body }) {
      const given = Object.fromEntries(
        ['authorization', 'content-type'].map((name) => [name, String(headers[name])]),
      );
      const answer = await send(ntfy.url + path, { method: 'POST', headers: given, body });
      const reply = { status: answer.statusCode, body: await answer.body.text() };
      if (reply.status !== 200) return reply;
      const { topic, sequence_id = '', title, message, priority } = JSON.parse(reply.body) as Published;
      const key = `${topic} ${sequence_id}`;
      const act = standing.has(key) && priority === silent ? 'edit' : 'post';
      standing.add(key);
      return {
        ...reply,
        arrival: { notifier: 'ntfy', receiver: topic, key, body: `${title}\n${message}`, act },
      };
    },
    close: ntfy.close,
  };
}
