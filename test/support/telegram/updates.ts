import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Conflict, unauthorized } from './answers.ts';

export interface Update {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

interface Poll {
  readonly offset: number;
  readonly limit: number;
  readonly timeout: number;
  readonly allowed_updates?: readonly string[] | null | undefined;
}

/** Creates a queue of updates that were not yet fetched, for one poller or a webhook. */
export function createUpdates(authorized: () => boolean) {
  let pending: Update[] = [];
  let lastId = 700_000_000;
  let poller: { end(conflict: boolean): void } | undefined;
  let webhook: { readonly url: string; readonly secret: string | undefined } | undefined;
  let delivering: Promise<void> | undefined;
  let closed = false;
  /** Kinds of updates that are delivered; empty: all of them. */
  let wanted: readonly string[] = [];
  /** Statuses with which the webhook responded. */
  const webhookAnswers: number[] = [];

  const deliver = async (): Promise<void> => {
    while (!closed && webhook !== undefined) {
      const [first] = pending;
      if (first === undefined) return;
      const status = await post(webhook.url, webhook.secret, first);
      webhookAnswers.push(status);
      // An update is delivered again until the response has a 2xx status. Those of other chats do not wait for it (telegram-bot-api,
      // WebhookActor: each chat has a queue).
      if (status >= 200 && status < 300) pending = pending.filter((update) => update !== first);
      else {
        const chat = chatOf(first);
        const isWaiting = (update: Update) => chatOf(update) === chat;
        pending = [...pending.filter((update) => !isWaiting(update)), ...pending.filter(isWaiting)];
        await delay(20);
      }
    }
  };
  const startDelivery = () => {
    delivering ??= deliver().finally(() => {
      delivering = undefined;
    });
  };

  return {
    webhookAnswers,
    /** Updates that were not yet confirmed. */
    pending: () => [...pending],
    /** Whether a client is polling. */
    polled: () => poller !== undefined,
    push(update: Readonly<Record<string, unknown>>): number {
      if (wanted.length > 0 && !Object.keys(update).some((kind) => wanted.includes(kind))) return lastId;
      lastId += 1;
      pending.push({ update_id: lastId, ...update });
      poller?.end(false);
      if (webhook !== undefined) startDelivery();
      return lastId;
    },
    /** Continues with another identifier, which may be lower, as Telegram does after a week without updates. */
    renumber(next: number) {
      lastId = next - 1;
    },
    async poll({ offset, limit, timeout, allowed_updates: allowed }: Poll) {
      // Telegram keeps `allowed_updates` until another value is sent, and does not store updates that are not allowed.
      if (allowed != null) wanted = allowed;
      if (webhook !== undefined) {
        throw new Conflict(
          "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        );
      }
      poller?.end(true);
      // An offset beyond the last identifier belongs to an earlier numbering; Telegram then ignores it.
      if (offset > 0 && offset <= lastId + 1)
        pending = pending.filter(({ update_id }) => update_id >= offset);
      if (pending.length === 0 && timeout > 0) {
        const waited = Promise.withResolvers<boolean>();
        const own = { end: waited.resolve };
        poller = own;
        const timer = setTimeout(() => waited.resolve(false), timeout * 1_000);
        const conflict = await waited.promise;
        clearTimeout(timer);
        if (poller === own) poller = undefined;
        if (!authorized()) throw unauthorized();
        if (conflict) {
          throw new Conflict(
            'terminated by other getUpdates request; make sure that only one bot instance is running',
          );
        }
      }
      return pending.toSorted((a, b) => a.update_id - b.update_id).slice(0, limit);
    },
    setWebhook(url: string, secret: string | undefined) {
      webhook = url === '' ? undefined : { url, secret };
      if (webhook !== undefined) {
        poller?.end(true);
        startDelivery();
      }
    },
    webhook: () => webhook,
    wakePollers: () => poller?.end(false),
    async close() {
      closed = true;
      poller?.end(false);
      await delivering;
    },
  };
}

/** Returns the id of the chat that an update is about; undefined if it is about none. */
const chatOf = (update: Update): unknown =>
  Object.values(update as Readonly<Record<string, { chat?: object; message?: { chat?: object } }>>)
    .map((each) => each.chat ?? each.message?.chat)
    .map((chat) => (chat as { id?: unknown } | undefined)?.id)
    .find((id) => id !== undefined);

function post(url: string, secret: string | undefined, update: Update): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const sending = request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret !== undefined && { 'x-telegram-bot-api-secret-token': secret }),
    },
    timeout: 5_000,
    agent: false,
  });
  sending.on('response', (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  sending.on('error', () => resolve(0));
  sending.on('timeout', () => sending.destroy());
  sending.end(JSON.stringify(update));
  return promise;
}
