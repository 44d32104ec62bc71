import type { Receiver } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import type { Picture } from '../card/picture.ts';
import { createChartRenderer } from '../chart/renderer.ts';
import { plainReader } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { Outlet } from '../pipeline/delivery.ts';
import { postOnce } from '../pipeline/try-post.ts';
import type { DiscordPlatform, DiscordPorts } from '../platforms/discord/discord.ts';
import type { Places, PlatformPorts } from '../platforms/platform.ts';
import type { TelegramOptions } from '../platforms/telegram/notifier.ts';
import type { WallClock } from '../runtime/clock.ts';
import type { Secret } from '../runtime/secret.ts';
import { translations } from '../shell/translations.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';

/** Pictures of charts for chats that cannot draw, as their readers like them. */
export function createPictures(options: Parameters<typeof createChartRenderer>[0]) {
  const renderer = createChartRenderer(options);
  return {
    close: () => renderer.close(),
    /** For the first who asks. */
    warm: () => void renderer.warm(),
    async image({ chart, reader = plainReader }: Card<string>): Promise<Picture | undefined> {
      return chart && renderer.render(chart, { theme: 'dark', ...reader });
    },
  };
}

export interface ChatOptions
  extends Omit<PlatformPorts, 'places' | 'refused' | 'translations'>,
    Pick<DiscordPorts, 'kinds' | 'now'> {
  readonly config: Config;
  readonly store: Store;
  readonly outlets: readonly Outlet[];
  readonly wall: WallClock;
  refused(platform: string, reason: Text): void;
  readonly pictures: Pick<ReturnType<typeof createPictures>, 'image' | 'warm'>;
}

export interface Chats {
  /** A channel cannot be reached any more: someone of its guild is told. */
  lost(address: Receiver['address'], reason: Text, forGood: boolean): void;
  close(): Promise<void>;
}

/** Discord and Telegram as places to talk, where their tokens are set. Their libraries load on first use. */
export async function startChats({
  config,
  store,
  outlets,
  pictures,
  refused,
  ...ports
}: ChatOptions): Promise<Chats> {
  const places: Places = {
    ...store.receivers,
    end: (receiver, reason) => store.receivers.end(receiver, { at: ports.now(), reason }),
    rest: (receivers, reason) =>
      store.receivers.rest(receivers, { at: ports.now(), wall: ports.wall.now(), reason }),
    wake: (receivers) => store.receivers.wake(receivers, ports.now()),
    recall: (name) => store.settings.get(name),
    remember: (name, value) => store.settings.put(name, value),
  };
  await using started = new AsyncDisposableStack();
  const find = (name: string) => {
    const outlet = outlets.find((each) => each.name === name);
    const options = config.notifiers.find(({ notifier }) => notifier.name === name)?.options;
    return outlet === undefined ? undefined : { outlet, pace: outlet.pace, options };
  };
  const shared = { ...ports, translations, places, image: pictures.image };

  let discord: DiscordPlatform | undefined;
  const guilds = find('discord');
  if (guilds !== undefined) {
    const [{ startDiscord }, { shards }] = await Promise.all([
      import('../platforms/discord/discord.ts'),
      import('../platforms/discord/shards.ts'),
    ]);
    const { token, apiUrl } = guilds.options as { token: Secret; apiUrl: string };
    const platform = startDiscord(
      {
        token,
        apiUrl,
        shards: config.discord.shards === null ? undefined : shards.parse(config.discord.shards),
        developmentGuild: config.discord.developmentGuild ?? undefined,
      },
      {
        ...shared,

        refused: (reason) => refused('discord', reason),
        post: (...posted) => postOnce(guilds.outlet, ...posted),
      },
    );
    started.defer(() => platform.close());
    discord = platform;
  }

  const chats = find('telegram');
  if (chats !== undefined) {
    const { startTelegram } = await import('../platforms/telegram/telegram.ts');
    const platform = await startTelegram(chats.options as TelegramOptions, {
      ...shared,
      pace: chats.pace,
      refused: (reason) => refused('telegram', reason),
    });
    started.defer(() => platform.close());
  }

  if (guilds !== undefined || chats !== undefined) pictures.warm();
  const running = started.move();
  return {
    lost: (...lost) => discord?.lost(...lost),
    close: () => running.disposeAsync(),
  };
}
