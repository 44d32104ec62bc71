import {
  Client,
  type ClientOptions,
  DiscordjsError,
  Events,
  GatewayIntentBits,
  type Guild,
  Options,
  Partials,
} from 'discord.js';
import { sayCard } from '../../card/say-card.ts';
import { english, languageOf } from '../../language/languages.ts';
import { plainReader, say } from '../../language/say.ts';
import type { Text } from '../../language/text.ts';
import type { Loss, Ports } from '../ports.ts';
import { followAnnouncements } from './announcements.ts';
import { answer } from './answer.ts';
import { fetchWithNode } from './fetching.ts';
import { openChannel, welcomeCard } from './greeting.ts';
import { trackGuilds } from './guilds.ts';
import { inviteLink } from './invite.ts';
import { createLongLines } from './long-lines.ts';
import { createLossNotices, type Notice } from './loss-notices.ts';
import { mayPostIn } from './may-post.ts';
import type { DiscordOptions } from './options.ts';
import { createPages } from './pages.ts';
import { createPlaceUpdates, followPlaces } from './place-updates.ts';
import { registerCommands } from './registration.ts';
import { notAccepted } from './rest.ts';
import { pauseAfter, problem } from './retry.ts';

export type DiscordPorts = Pick<
  Ports,
  | 'ask'
  | 'commands'
  | 'image'
  | 'kinds'
  | 'log'
  | 'now'
  | 'listOwn'
  | 'places'
  | 'post'
  | 'reader'
  | 'reportTokenRefused'
  | 'universe'
  | 'wall'
>;

/** The options that the conversation uses. The notifier sends with the same token. */
export type DiscordTalk = Pick<DiscordOptions, 'token' | 'apiUrl' | 'shards' | 'developmentGuild'>;

export interface DiscordPlatform {
  /** Resolves to true when people can talk to the bot, or to false if they never will be able to. */
  readonly ready: Promise<boolean>;
  /** Tells someone in a guild that the bot can no longer post in one of its channels; the notifier calls it. */
  notifyLoss(loss: Loss): void;
  close(): Promise<void>;
}

/** Codes after which the gateway does not accept the bot again (API docs, "Gateway close event codes"), and the remedy. */
const remedyByFinalCode: Readonly<Record<number, Text>> = {
  4004: notAccepted,
  4010: 'Discord knows no such shard: correct DISCORD_SHARDS and restart',
  4011: 'Discord wants more shards: raise the count in DISCORD_SHARDS, or leave it out, and restart',
  4012: 'Discord no longer speaks this version of its gateway: update Tocsin',
  4013: 'Discord does not know what was asked for: update Tocsin',
  4014: 'Discord does not grant the intents asked for: update Tocsin, it needs none that must be granted',
};

/** Starts the conversation on Discord. Returns at once. Errors are logged and never end the bot. */
export function startDiscord(options: DiscordTalk, ports: DiscordPorts): DiscordPlatform {
  const { log, wall, places } = ports;
  const { shards } = options;
  const scope = shards === undefined ? 'all' : `${shards.ids[0]}-${shards.ids.at(-1)}/${shards.count}`;
  const guilds = trackGuilds(places, scope);
  const caches = { pages: createPages(), lines: createLongLines() };
  const updates = createPlaceUpdates(places);
  const stopping = new AbortController();
  const ready = Promise.withResolvers<boolean>();
  let client: Client | undefined;

  const inBackground = (what: string, work: Promise<unknown>): void =>
    void work.catch((error) => log.warn(problem(error), `Discord: ${what} failed`));
  const stopForGood = (remedy: Text) => {
    if (!stopping.signal.aborted) {
      log.error(say(remedy, plainReader));
      ports.reportTokenRefused(remedy);
    }
    stopping.abort();
    ready.resolve(false);
  };

  /** Posts a card in the guild's preferred language, or in English if the bot does not have that language. */
  const post = async (channel: { readonly id: string }, { card, guild }: Notice) => {
    const reader = { ...plainReader, language: languageOf(guild.preferredLocale) ?? english };
    const place = { notifier: 'discord', address: { channelId: channel.id } };
    await ports.post(place, { card: sayCard(card, reader), signal: stopping.signal });
  };
  const notify = createLossNotices(post);
  const welcome = async (guild: Guild) => {
    const channel = openChannel(guild);
    if (channel !== undefined) await post(channel, { card: welcomeCard, guild });
  };
  const updateGuilds = async ({ guilds: { cache } }: Client<true>) => {
    for (const id of await guilds.updateAll([...cache.keys()])) {
      const guild = cache.get(id);
      if (guild?.available === true) await welcome(guild);
    }
    for (const guild of cache.values()) await updates.resumeAllowed('guildId', { id: guild.id, guild });
  };

  const registerHandlers = (to: Client): void => {
    followAnnouncements(to, { places, inBackground });
    followPlaces(to, { updates, inBackground });
    to.once(Events.ClientReady, (connected) => {
      const invite = inviteLink(connected.application.id);
      log.info({ guilds: connected.guilds.cache.size, invite }, 'in Discord');
      const registering = registerCommands(connected, { ...ports, options, signal: stopping.signal });
      inBackground('registering commands', registering);
      inBackground('looking at servers', updateGuilds(connected));
      ready.resolve(true);
    });
    to.on(Events.InteractionCreate, (interaction) => {
      inBackground('answering', answer(interaction, { ...ports, ...caches }));
      if (interaction.channelId !== null && mayPostIn(interaction))
        inBackground('resuming a channel', updates.resumeChannel(interaction.channelId));
    });
    to.on(Events.GuildCreate, (guild) =>
      inBackground(
        'welcoming a server',
        guilds.recordJoined(guild.id).then((fresh) => (fresh ? welcome(guild) : undefined)),
      ),
    );
    to.on(Events.GuildDelete, ({ id }) => inBackground('recording a departure', guilds.recordLeft(id)));
    to.on(Events.Error, (error) => log.warn(problem(error), 'Discord: error in the client; continuing'));
    to.on(Events.ShardError, (error, shard) =>
      log.warn({ ...problem(error), shard }, 'Discord: error in a shard; it reconnects'),
    );
    to.on(Events.ShardDisconnect, ({ code }) => {
      const remedy = remedyByFinalCode[code];
      if (remedy !== undefined) stopForGood(remedy);
    });
  };

  const connect = async () => {
    for (let attempt = 0; !stopping.signal.aborted; attempt += 1) {
      const next = new Client(clientOptions(options));
      client = next;
      registerHandlers(next);
      try {
        await next.login(options.token.reveal());
        return;
      } catch (error) {
        await next.destroy();
        if (error instanceof DiscordjsError && error.code === 'TokenInvalid') return stopForGood(notAccepted);
        const pause = pauseAfter(attempt);
        log.warn({ ...problem(error), pause }, 'Discord is unreachable; retrying');
        await wall.sleep(pause, stopping.signal).catch(() => {});
      }
    }
  };
  const connecting = connect();

  return {
    ready: ready.promise,
    notifyLoss({ address: { guildId, channelId }, reason, forGood }) {
      const guild = client?.guilds.cache.get(String(guildId));
      if (guild === undefined) return;
      inBackground('posting a notice', notify(guild, { channelId: String(channelId), reason, forGood }));
    },
    async close() {
      stopping.abort();
      ready.resolve(false);
      await connecting;
      await client?.destroy();
    },
  };
}

/** Restricts the client to events about guilds and their channels, and caches almost no members, messages or presences. */
const clientOptions = ({ apiUrl, shards }: DiscordTalk): ClientOptions => ({
  intents: [GatewayIntentBits.Guilds],
  // Threads and direct messages become known by the interactions that come from them.
  partials: [Partials.Channel],
  rest: { api: apiUrl, makeRequest: fetchWithNode },
  ...(shards === undefined ? { shards: 'auto' } : { shards: [...shards.ids], shardCount: shards.count }),
  allowedMentions: { parse: [], repliedUser: false },
  failIfNotExists: false,
  makeCache: Options.cacheWithLimits({
    ...Options.DefaultMakeCacheSettings,
    MessageManager: 0,
    UserManager: { maxSize: 100, keepOverLimit: (user) => user.id === user.client.user.id },
    GuildMemberManager: { maxSize: 10, keepOverLimit: (member) => member.id === member.client.user.id },
    GuildEmojiManager: 0,
    GuildStickerManager: 0,
    PresenceManager: 0,
    VoiceStateManager: 0,
  }),
});
