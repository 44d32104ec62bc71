import { type MessageBody, readMessage, type Upload } from './message.ts';
import { type Modal, modal } from './modal.ts';
import type { Call, Reply, Route } from './routes.ts';
import type { World } from './world.ts';

/** What a person saw as the bot's response to an interaction. */
export interface Answered {
  /** Type of the first response: 4 message, 5 deferred, 6 deferred edit, 7 edit, 8 choices, 9 a form. */
  readonly type: number;
  /** Time from the interaction to the first response, and to the message, ms. */
  readonly firstAfter: number;
  readonly after: number;
  readonly ephemeral: boolean;
  readonly message: MessageBody;
  readonly files: readonly Upload[];
  readonly choices: readonly { readonly name: string; readonly value: unknown }[];
  readonly modal?: Modal | undefined;
}

interface Asked {
  readonly token: string;
  readonly at: number;
  /** 2 a command, 3 a button or menu, 4 autocomplete, 5 a submitted form. */
  readonly kind: number;
  first?: { readonly type: number; readonly at: number; readonly ephemeral: boolean };
  /** State of the original response: none, deferred and still awaited, sent, or deleted. */
  original: 'none' | 'awaited' | 'said' | 'deleted';
  readonly answered: PromiseWithResolvers<Answered>;
  /** Whether the response was a message that consists of components. */
  texts?: boolean;
}

export interface Interactions {
  /** Every version of every response that was shown, oldest first. */
  readonly shown: readonly Pick<Answered, 'message' | 'files' | 'ephemeral'>[];
  readonly routes: readonly Route[];
  /** Opens an interaction. Returns its id and token, and a promise of what the person sees. */
  open(kind: number): { readonly id: string; readonly token: string; readonly answered: Promise<Answered> };
}

/** What a message has that says nothing. */
export const plainMessage = {
  ...{ type: 0, content: '', edited_timestamp: null, flags: 0, tts: false, pinned: false },
  ...{
    attachments: [],
    embeds: [],
    components: [],
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
  },
};

const ephemeralFlag = 64;
/** The flags that a response may set: embeds suppressed, ephemeral, silent, components v2. */
const flagsTaken = 4 | ephemeralFlag | (1 << 12) | (1 << 15);
/** The types of first response that each kind of interaction accepts. */
const answersTo: Readonly<Record<number, readonly number[]>> = {
  2: [4, 5, 9],
  3: [4, 5, 6, 7, 9],
  4: [8],
  5: [4, 5],
};
const invalidForm = { status: 400, body: { code: 50035, message: 'Invalid Form Body' } };
const ack = { status: 404, body: { message: 'Unknown interaction', code: 10062 } };
const second = { status: 400, body: { message: 'Interaction has already been acknowledged.', code: 40060 } };

export function createInteractions(
  world: World,
  now: () => number,
  /** Time for the first response, ms; Discord's is 3,000. */
  patience: number,
): Interactions {
  const asked = new Map<string, Asked>();
  const shown: Interactions['shown'][number][] = [];

  const tell = (
    one: Asked,
    type: number,
    message: MessageBody,
    files: readonly Upload[],
    more: Partial<Pick<Answered, 'choices' | 'modal'>> = {},
  ) => {
    const { at = now(), ephemeral = false } = one.first ?? {};
    shown.push({ message, files, ephemeral });
    one.answered.resolve({
      type,
      firstAfter: at - one.at,
      after: now() - one.at,
      ephemeral,
      message,
      files,
      choices: [],
      ...more,
    });
  };
  const sentBody = (id: string): object => ({
    ...plainMessage,
    id,
    channel_id: world.application,
    author: { id: world.application, username: 'tocsin', discriminator: '0', bot: true },
    timestamp: new Date(now()).toISOString(),
  });

  const callback: Route['answer'] = ([id, token], { json, files, query }): Reply => {
    const one = asked.get(token ?? '');
    if (one === undefined || id === undefined) return ack;
    if (one.first !== undefined) return second;
    if (now() - one.at > patience) return ack;
    const { type, data } = json as { type: number; data?: { flags?: number; choices?: Answered['choices'] } };
    const flags = data?.flags ?? 0;
    if (answersTo[one.kind]?.includes(type) !== true || (flags & ~flagsTaken) !== 0) return invalidForm;
    if (type === 8) {
      const choices = data?.choices ?? [];
      const wrong =
        choices.length > 25 ||
        choices.some(({ name, value }) => name.length < 1 || name.length > 100 || String(value).length > 100);
      if (wrong) return invalidForm;
      one.first = { type, at: now(), ephemeral: true };
      tell(one, type, {}, [], { choices });
      return { status: 204 };
    }
    if (type === 9) {
      const form = modal.safeParse(data);
      if (!form.success) return { status: 400, body: { ...invalidForm.body, errors: form.error.issues } };
      one.first = { type, at: now(), ephemeral: true };
      tell(one, type, {}, [], { modal: form.data });
      return { status: 204 };
    }
    if (type === 4 || type === 7) {
      const body = readMessage(data, files, type === 7);
      if ('status' in body) return { status: body.status as number, body };
      one.first = { type, at: now(), ephemeral: (flags & ephemeralFlag) !== 0 };
      one.original = 'said';
      one.texts = body.texts !== undefined;
      tell(one, type, body as MessageBody, files);
    } else {
      one.first = { type, at: now(), ephemeral: (flags & ephemeralFlag) !== 0 };
      one.original = type === 5 ? 'awaited' : 'said';
    }
    if (query.get('with_response') !== 'true') return { status: 204 };
    const message = sentBody(world.id());
    return { status: 200, body: { interaction: { id, type: 2 }, resource: { type, message } } };
  };

  /** Returns the interaction if its token is valid and its first response was given, else an error response. */
  const begun = (token: string | undefined): (Asked & { first: NonNullable<Asked['first']> }) | Reply => {
    const one = asked.get(token ?? '');
    if (one === undefined || now() - one.at > 15 * 60_000) {
      return { status: 401, body: { message: 'Invalid Webhook Token', code: 50027 } };
    }
    if (one.first === undefined) return { status: 404, body: { message: 'Unknown Webhook', code: 10015 } };
    return { ...one, first: one.first };
  };
  const unknownMessage = { status: 404, body: { message: 'Unknown Message', code: 10008 } };
  const say = (token: string | undefined, { json, files }: Call, ephemeral: boolean): Reply => {
    const body = readMessage(json, files);
    if ('status' in body) return { status: body.status as number, body };
    const one = asked.get(token ?? '');
    if (one?.first === undefined) return unknownMessage;
    // A message that consists of components cannot be changed into another kind.
    if (one.texts === true && body.texts === undefined) return invalidForm;
    one.texts = body.texts !== undefined;
    one.first = { ...one.first, ephemeral };
    if (one.original !== 'deleted') one.original = 'said';
    tell(one, one.first.type, body as MessageBody, files);
    return { status: 200, body: sentBody(world.id()) };
  };

  const rewrite: Route['answer'] = ([, token], call): Reply => {
    const one = begun(token);
    if ('status' in one) return one;
    if (one.original === 'deleted') return unknownMessage;
    return say(token, call, one.first.ephemeral);
  };

  const takeBack: Route['answer'] = ([, token]): Reply => {
    const one = begun(token);
    if ('status' in one) return one;
    const kept = asked.get(token ?? '');
    if (kept === undefined || one.original === 'deleted') return unknownMessage;
    kept.original = 'deleted';
    return { status: 204 };
  };

  const followUp: Route['answer'] = ([, token], call): Reply => {
    const one = begun(token);
    if ('status' in one) return one;
    const { flags = 0 } = (call.json ?? {}) as { flags?: number };
    // The first message after a deferred response replaces it and is visible to the same people.
    const ephemeral = one.original === 'awaited' ? one.first.ephemeral : (flags & ephemeralFlag) !== 0;
    return say(token, call, ephemeral);
  };

  return {
    shown,
    open(kind) {
      const id = world.id();
      const one: Asked = {
        token: `token-${id}`,
        at: now(),
        kind,
        original: 'none',
        answered: Promise.withResolvers(),
      };
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
        method: 'DELETE',
        path: /^\/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
        bucket: 'webhook',
        answer: takeBack,
      },
      {
        method: 'POST',
        path: /^\/webhooks\/(\d+)\/([^/]+)$/,
        bucket: 'webhook',
        answer: followUp,
      },
    ],
  };
}
