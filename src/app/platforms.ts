import { lookup } from 'node:dns/promises';
import type { Receiver } from '../alert/subscription.ts';
import type { Draw } from '../card/picture.ts';
import { createChartRenderer } from '../chart/renderer.ts';
import { plainReader, say } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { Outlet } from '../pipeline/delivery.ts';
import { type DirectPost, postOnce } from '../pipeline/try-post.ts';
import type { Conversation, Whereabouts } from '../platforms/platform.ts';
import type { Loss, MessageStore, NotifierPorts, Ports, Terminal } from '../platforms/ports.ts';
import type { WebPorts } from '../platforms/web/ports.ts';
import { createPace } from '../runtime/pace.ts';
import { keepRole, type RoleOptions, type RoleWork } from '../runtime/role.ts';
import type { UsedPlatform } from './config/config.ts';
import { createPublicPictures } from './console/public-pictures.ts';
import type { Core } from './core.ts';
import { createReadiness, type TokenReports } from './readiness.ts';

/** A platform in use: the outlet to send by, and what its notifier and its conversation share. */
interface OpenPlatform extends UsedPlatform {
  readonly outlet: Outlet;
  readonly ports: NotifierPorts & Pick<Ports, 'onLoss' | 'post'>;
}

/** The ports that are the same for all notifiers. */
interface SharedNotifierPorts
  extends Omit<NotifierPorts, 'pace' | 'reportLoss' | 'reportTokenRefused' | 'reportTokenAccepted'> {
  readonly tokens: TokenReports;
}

/** All that the bot sends by. The lists change as platforms are connected and disconnected. */
export interface Senders {
  readonly platforms: readonly OpenPlatform[];
  readonly outlets: readonly Outlet[];
  readonly readiness: ReturnType<typeof createReadiness>;
  open(used: UsedPlatform): OpenPlatform;
  /** Closes a platform that nothing sends by any more. */
  end(name: string): Promise<void>;
  /** Prepares the drawing of pictures, so that the first one does not take longer than others. */
  warmUpDrawing(): void;
  close(): Promise<void>;
}

/** Opens the notifiers of the platforms in use, and the drawing of pictures for those that cannot draw charts themselves. */
export function openSenders({ config, store, now, wall, steady, log }: Core, terminal: Terminal): Senders {
  const opened = new AsyncDisposableStack();
  const renderer = opened.adopt(createChartRenderer({ log, wall }), (it) => it.close());
  const image: Draw = async ({ chart, reader = plainReader }) => {
    // Rich and plain messages have the same picture, so `messages` is left out and the picture is drawn once for both.
    const { messages: _, ...preferences } = reader;
    return chart && renderer.render(chart, { theme: 'dark', ...preferences });
  };
  const readiness = createReadiness(store.guard);
  const { url } = config.http;
  const shared: SharedNotifierPorts = {
    image,
    pictures: url === null ? undefined : createPublicPictures({ url, image, wall }),
    // A SQLite file belongs to one process.
    messages: withMessageListeners({ ...store.messages, shared: !config.database.startsWith('file:') }),
    recall: (name) => store.settings.get(name),
    terminal,
    resolve: (hostname) => lookup(hostname, { all: true }),
    tokens: readiness.tokens,
    now,
    wall,
    steady,
    log,
  };
  const platforms = config.platforms.map((used) => openPlatform(used, shared));
  const outlets = platforms.map(({ outlet }) => outlet);
  opened.defer(async () => void (await Promise.all(outlets.map(({ connection }) => connection.close?.()))));
  return {
    platforms,
    outlets,
    readiness,
    open(used) {
      const open = openPlatform(used, shared);
      platforms.push(open);
      outlets.push(open.outlet);
      return open;
    },
    async end(name) {
      const at = outlets.findIndex((outlet) => outlet.name === name);
      const [outlet] = at < 0 ? [] : outlets.splice(at, 1);
      if (at >= 0) platforms.splice(at, 1);
      readiness.tokens.accepted(name);
      await outlet?.connection.close?.();
    },
    warmUpDrawing: () => void renderer.warm(),
    close: () => opened.disposeAsync(),
  };
}

/** Adds listeners to the message store, which are told of each message once it is stored. */
export function withMessageListeners(messages: Omit<MessageStore, 'onPut'>): MessageStore {
  const listeners = new Set<Parameters<MessageStore['onPut']>[0]>();
  return {
    ...messages,
    async put(given) {
      await messages.put(given);
      for (const listener of listeners) listener(given.room, given.body);
    },
    onPut: (listener) => void listeners.add(listener),
  };
}

/** Opens a platform's notifier with its own rate limits. */
export function openPlatform(
  { platform, options }: UsedPlatform,
  { tokens, ...shared }: SharedNotifierPorts,
): OpenPlatform {
  const { name, limits, readByPrograms, shown, slash } = platform;
  const listeners = new Set<(loss: Loss) => void>();
  const ports = {
    ...shared,
    pace: createPace(limits, { now: shared.steady.now, sleep: shared.wall.sleep }),
    reportLoss(loss: Loss) {
      for (const listener of listeners) listener(loss);
    },
    reportTokenRefused(reason: Text) {
      if (tokens.refused(name, reason))
        shared.log.error({ platform: name }, `${say(reason, plainReader)}; retrying every few minutes`);
    },
    reportTokenAccepted() {
      if (tokens.accepted(name)) shared.log.warn({ platform: name }, 'the platform accepts the token again');
    },
  };
  const { pace } = ports;
  const { concurrency, paceKey } = limits;
  const outlet = {
    name,
    connection: platform.notifier(options, ports),
    concurrency,
    pace,
    shown,
    slash,
    paceKey,
    readByPrograms,
  };
  return {
    platform,
    options,
    outlet,
    ports: {
      ...ports,
      onLoss: (listener: (loss: Loss) => void) => void listeners.add(listener),
      post: (receiver: Receiver, posted: Omit<DirectPost, 'receiver'>) =>
        postOnce(outlet, { receiver, ...posted }),
    },
  };
}

/** The ports that are the same for all conversations, the console's among them. */
export type SharedPorts = Omit<WebPorts, keyof OpenPlatform['ports'] | 'holdsRole'>;

export interface Conversations {
  /** The URL of the first one that has one. */
  readonly url?: string | undefined;
  /** Opens the conversation of a platform, unless it is open. @throws ConfigError */
  open(platform: OpenPlatform): Promise<void>;
  end(name: string): Promise<void>;
  /** Where the bot is on a platform whose conversation this process has. */
  whereabouts(name: string): Promise<Whereabouts | undefined>;
  close(): Promise<void>;
}

/**
 * Opens the conversations of these platforms in their order; they close in reverse order. @throws ConfigError
 */
export async function openConversations(
  platforms: readonly OpenPlatform[],
  { shared, roles }: { readonly shared: SharedPorts; readonly roles: RoleOptions },
): Promise<Conversations> {
  const opened = new Map<OpenPlatform, Promise<RoleWork>>();
  const talking = new Map<string, Conversation>();

  const start = async ({ platform, options, ports }: OpenPlatform): Promise<RoleWork> => {
    const { name } = platform;
    const openConversation = async (holdsRole: Ports['holdsRole']) => {
      const conversation = await platform.conversation?.(options, { ...ports, ...shared, holdsRole });
      if (conversation !== undefined) talking.set(name, conversation);
      return {
        async stop() {
          talking.delete(name);
          await conversation?.close();
        },
      };
    };
    // One process at a time receives what is sent to a bot's token. A page or a terminal belongs to its process alone.
    return platform.env?.token === undefined
      ? openConversation(() => true)
      : keepRole(`talk:${name}`, roles, ({ isHeld }) => openConversation(isHeld));
  };
  const endOne = async (each: OpenPlatform) => {
    const work = opened.get(each);
    opened.delete(each);
    await (await work?.catch(() => undefined))?.stop();
  };
  const end = async (name: string) => {
    for (const each of opened.keys()) if (each.platform.name === name) await endOne(each);
  };
  await using closing = new AsyncDisposableStack();
  const close = async () => {
    await using ending = new AsyncDisposableStack();
    for (const each of opened.keys()) ending.defer(() => endOne(each));
  };
  const open = async (each: OpenPlatform) => {
    await opened.getOrInsertComputed(each, start);
  };
  closing.defer(close);
  for (const each of platforms) await open(each);
  closing.move();
  return {
    url: [...talking.values()].find(({ url }) => url !== undefined)?.url,
    open,
    end,
    whereabouts: async (name) => talking.get(name)?.whereabouts?.(),
    close,
  };
}
