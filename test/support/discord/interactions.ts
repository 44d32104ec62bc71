import { type MessageBody, readMessage, type Upload } from './message.ts';
import type { Reply, Route } from './routes.ts';
import type { World } from './world.ts';

/** What a person saw of the bot's answer to what they asked. */
export interface Answered {
  /** Of the first answer: 4 message, 5 deferred, 6 deferred edit, 7 edit, 8 choices. */
  readonly type: number;
  /** From the question to the first answer, and to the message, ms. */
  readonly firstAfter: number;
  readonly after: number;
  readonly ephemeral: boolean;
  readonly message: MessageBody;
  readonly files: readonly Upload[];
  readonly choices: readonly { readonly name: string; readonly value: unknown }[];
}

interface Asked {
  readonly token: string;
  readonly at: number;
  first?: { readonly type: number; readonly at: number; readonly ephemeral: boolean };
  readonly answered: PromiseWithResolvers<Answered>;
}

export interface Interactions {
  readonly routes: readonly Route[];
  /** A new interaction's id and token, and what becomes of it. */
  open(): { readonly id: string; readonly token: string; readonly answered: Promise<Answered> };
}

const ephemeralFlag = 64;
const ack = { status: 404, body: { message: 'Unknown interaction', code: 10062 } };
const second = { status: 400, body: { message: 'Interaction has already been acknowledged.', code: 40060 } };

export function createInteractions(
  world: World,
  now: () => number,
  /** ms; Discord's is 3,000. */
  patience: number,
): Interactions {
  const asked = new Map<string, Asked>();

  const tell = (
    one: Asked,
    type: number,
    message: MessageBody,
    files: readonly Upload[],
    choices: Answered['choices'] = [],
  ) => {
    const { at = now(), ephemeral = false } = one.first ?? {};
    one.answered.resolve({
      type,
      firstAfter: at - one.at,
      after: now() - one.at,
      ephemeral,
      message,
      files,
      choices,
    });
  };
  const sentBody = (id: string): object => ({
    id,
    channel_id: world.application,
    type: 0,
    content: '',
    author: { id: world.application, username: 'tocsin', discriminator: '0', bot: true },
    timestamp: new Date(now()).toISOString(),
    edited_timestamp: null,
    attachments: [],
    embeds: [],
    mentions: [],
    mention_roles: [],
    components: [],
    flags: 0,
  });

  const callback: Route['answer'] = ([id, token], { json, files, query }): Reply => {
    const one = asked.get(token ?? '');
    if (one === undefined || id === undefined) return ack;
    if (one.first !== undefined) return second;
    if (now() - one.at > patience) return ack;
    const { type, data } = json as { type: number; data?: { flags?: number; choices?: Answered['choices'] } };
    if (type === 8) {
      const choices = data?.choices ?? [];
      const wrong =
        choices.length > 25 ||
        choices.some(({ name, value }) => name.length < 1 || name.length > 100 || String(value).length > 100);
      if (wrong) return { status: 400, body: { code: 50035, message: 'Invalid Form Body' } };
      one.first = { type, at: now(), ephemeral: true };
      tell(one, type, {}, [], choices);
      return { status: 204 };
    }
    if (type === 4 || type === 7) {
      const body = readMessage(data, files, type === 7);
      if ('status' in body) return { status: body.status as number, body };
      one.first = { type, at: now(), ephemeral: ((data?.flags ?? 0) & ephemeralFlag) !== 0 };
      tell(one, type, body as MessageBody, files);
    } else {
      one.first = { type, at: now(), ephemeral: ((data?.flags ?? 0) & ephemeralFlag) !== 0 };
    }
    if (query.get('with_response') !== 'true') return { status: 204 };
    const message = sentBody(world.id());
    return { status: 200, body: { interaction: { id, type: 2 }, resource: { type, message } } };
  };

  const rewrite: Route['answer'] = ([, token], { json, files }): Reply => {
    const one = asked.get(token ?? '');
    if (one === undefined || now() - one.at > 15 * 60_000) {
      return { status: 401, body: { message: 'Invalid Webhook Token', code: 50027 } };
    }
    if (one.first === undefined) return { status: 404, body: { message: 'Unknown Webhook', code: 10015 } };
    const body = readMessage(json, files);
    if ('status' in body) return { status: body.status as number, body };
    tell(one, one.first.type, body as MessageBody, files);
    return { status: 200, body: sentBody(world.id()) };
  };

  return {
    open() {
      const id = world.id();
      const one: Asked = { token: `token-${id}`, at: now(), answered: Promise.withResolvers() };
      asked.set(one.token, one);
      return { id, token: one.token, answered: one.answered.promise };
    },
    routes: [
      {
        method: 'POST',
        path: /^\/interactions\/(\d+)\/([^/]+)\/callback$/,
        bucket: 'callback',
        answer: callback,
      },
      {
        method: 'PATCH',
        path: /^\/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
        bucket: 'webhook',
        answer: rewrite,
      },
      {
        method: 'POST',
        path: /^\/webhooks\/(\d+)\/([^/]+)$/,
        bucket: 'webhook',
        answer: rewrite,
      },
    ],
  };
}
