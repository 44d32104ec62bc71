import { lookup } from 'node:dns/promises';
import type { Receiver } from '../alert/subscription.ts';
import type { Draw } from '../card/picture.ts';
import { createChartRenderer } from '../chart/renderer.ts';
import { plainReader } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { Outlet } from '../pipeline/delivery.ts';
import { type DirectPost, postOnce } from '../pipeline/try-post.ts';
import type { Conversation } from '../platforms/platform.ts';
import type { Loss, MessageStore, NotifierPorts, Ports, Terminal } from '../platforms/ports.ts';
import { createPace } from '../runtime/pace.ts';
import { keepRole, type RoleOptions } from '../runtime/role.ts';
import type { UsedPlatform } from './config/config.ts';
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

/** All that the bot sends by. */
export interface Senders {
  readonly platforms: readonly OpenPlatform[];
  readonly outlets: readonly Outlet[];
  readonly readiness: ReturnType<typeof createReadiness>;
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
  const platforms = openPlatforms(config.platforms, {
    image,
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
  });
  const outlets = platforms.map(({ outlet }) => outlet);
  for (const { connection } of outlets) opened.defer(async () => connection.close?.());
  return {
    platforms,
    outlets,
    readiness,
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

/** Opens the notifiers of the platforms in use, each with its own rate limits. */
export const openPlatforms = (
  used: readonly UsedPlatform[],
  { tokens, ...shared }: SharedNotifierPorts,
): readonly OpenPlatform[] =>
  used.map(({ platform, options }) => {
    const { name, limits, readByPrograms, shown, slash } = platform;
    const listeners = new Set<(loss: Loss) => void>();
    const ports = {
      ...shared,
      pace: createPace(limits, { now: shared.steady.now, sleep: shared.wall.sleep }),
      reportLoss(loss: Loss) {
        for (const listener of listeners) listener(loss);
      },
      reportTokenRefused: (reason: Text) => tokens.refused(name, reason),
      reportTokenAccepted() {
        if (tokens.accepted(name))
          shared.log.warn({ platform: name }, 'the platform accepts the token again');
      },
    };
    const { pace } = ports;
    const { concurrency, paceKey } = limits;
    const connection = platform.notifier(options, ports);
    const outlet = {
      name,
      connection,
      concurrency,
      pace,
      shown,
      slash,
      ...(paceKey !== undefined && { paceKey }),
      ...(readByPrograms !== undefined && { readByPrograms }),
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
  });

/** The ports that are the same for all conversations. */
export type SharedPorts = Omit<Ports, keyof OpenPlatform['ports'] | 'holdsRole'>;

/**
 * Opens the conversations of these platforms in their order; they close in reverse order. Without `roles` this process opens
 * all of them. @throws ConfigError
 */
export async function openConversations(
  open: readonly OpenPlatform[],
  { shared, roles }: { readonly shared: SharedPorts; readonly roles?: RoleOptions | undefined },
): Promise<Pick<Conversation, 'url'> & { close(): Promise<void> }> {
  await using started = new AsyncDisposableStack();
  let url: string | undefined;
  for (const { platform, options, ports } of open) {
    const openConversation = async (holdsRole: Ports['holdsRole']) => {
      const conversation = await platform.conversation?.(options, { ...ports, ...shared, holdsRole });
      url ??= conversation?.url;
      return { stop: async () => conversation?.close() };
    };
    // One process at a time receives what is sent to a bot's token. A page or a terminal belongs to its process alone.
    const talking =
      roles === undefined || platform.env?.token === undefined
        ? await openConversation(() => true)
        : await keepRole(`talk:${platform.name}`, {
            ...roles,
            start: ({ isHeld }) => openConversation(isHeld),
          });
    started.defer(() => talking.stop());
  }
  const running = started.move();
  return { ...(url !== undefined && { url }), close: () => running.disposeAsync() };
}
