import { request as send } from 'undici';
import { type Published, startNtfy } from '#test/support/ntfy.ts';
import type { Ends } from './ends.ts';
import { pointsOn, shownIn } from './storm.ts';

const token = 'tk_publishes';
/** The priority at which a notification makes no sound. */
const silent = 2;

const textOf = ({ title, message }: Published): string => `${title}\n${message}`;

interface Ntfy extends Ends {
  /** Notifications that are still on the phone and show an outdated state. */
  leftBehind(): string[];
}

/** Starts an ntfy server and a phone subscribed to all topics. A silent message with a known sequence id is an edit. */
export async function ntfyEnds(): Promise<Ntfy> {
  const ntfy = await startNtfy({ token });
  const begun = new Set<string>();
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
      const published = JSON.parse(reply.body) as Published;
      const { topic, sequence_id: key = '', priority } = published;
      const quiet = priority === silent;
      const act = quiet && begun.has(key) ? 'edit' : 'post';
      begun.add(key);
      return {
        ...reply,
        arrival: { notifier: 'ntfy', receiver: topic, key, body: textOf(published), act, quiet },
      };
    },
    leftBehind() {
      const shown = (each: Published) =>
        pointsOn(textOf(each))
          ? []
          : shownIn(textOf(each)).map(([name, revision]) => ({ of: `${each.topic}: ${name}`, revision }));
      const newest = new Map<string, number>();
      for (const { of, revision } of ntfy.log.flatMap(shown))
        newest.set(of, Math.max(revision, newest.get(of) ?? 0));
      return ntfy
        .standing()
        .flatMap(shown)
        .filter(({ of, revision }) => revision < (newest.get(of) ?? 0))
        .map(({ of, revision }) => `${of} rev ${revision}, was told of ${newest.get(of)}`);
    },
    close: ntfy.close,
  };
}
