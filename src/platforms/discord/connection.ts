import {
  Client,
  type ClientOptions,
  DiscordjsError,
  Events,
  GatewayIntentBits,
  Options,
  Partials,
  type RESTOptions,
} from 'discord.js';
import type { Text } from '../../language/text.ts';
import { withinBoundary } from '../../runtime/boundary.ts';
import { minute, second } from '../../runtime/units.ts';
import type { Ports } from '../ports.ts';
import type { DiscordOptions } from './options.ts';
import { notAccepted } from './rest.ts';
import { pauseAfter, problem } from './retry.ts';

/** Why a client ended: Discord does not let the bot in, or wants another number of shards, or something went wrong. */
type Ending =
  | { readonly kind: 'refused'; readonly remedy: Text }
  | { readonly kind: 'shards' }
  | { readonly kind: 'failed' };

interface ConnectionPorts extends Pick<Ports, 'log' | 'wall'> {
  readonly signal: AbortSignal;
  /** Called with each client before it connects. */
  readonly opened: (client: Client) => void;
  /** Called each time that Discord cannot be asked to let the bot in. */
  readonly unreachable: () => void;
  /** Called each time that Discord does not let the bot in. */
  readonly refused: (remedy: Text) => void;
}

/** Shortest pause before Discord is asked again after it refused the bot, ms. */
const refusalPause = minute;
/** A client that lived this long, ms, was well: what ended it is no repetition of what ended those before. */
const healthyAfter = 10 * minute;
/** How long a client may take to close, ms: one that failed may never finish. */
const closingTime = 5 * second;

const shardingRequired = 4011;
/** Codes after which discord.js does not connect again (API docs, "Gateway close event codes"), and the remedy. */
const remedyByFinalCode: Readonly<Record<number, Text>> = {
  4004: notAccepted,
  4010: 'Discord knows no such shard: correct DISCORD_SHARDS and restart',
  [shardingRequired]:
    'Discord wants more shards: raise the count in DISCORD_SHARDS, or leave it out, and restart',
  4012: 'Discord no longer speaks this version of its gateway: update Tocsin',
  4013: 'Discord does not know what was asked for: update Tocsin',
  4014: 'Discord does not grant the intents asked for: update Tocsin, it needs none that must be granted',
};

/**
 * Keeps a client of discord.js connected until the signal is aborted. When one ends, for whatever reason, it is closed and
 * another one is opened, which asks anew how many shards there should be: an error in the library ends no process, and no
 * answer of Discord is taken for its last word. Resolves when the last client is closed.
 */
export async function keepConnected(options: DiscordOptions, ports: ConnectionPorts): Promise<void> {
  const { log, wall, signal } = ports;

  const openClient = (end: (ending: Ending) => void): Client => {
    const fail = (error: unknown) => {
      const stack = error instanceof Error ? error.stack : undefined;
      log.error({ ...problem(error), stack }, 'Discord: error inside discord.js; its client is opened anew');
      end({ kind: 'failed' });
    };
    return withinBoundary(fail, () => {
      const client = new Client(clientOptions(options));
      keepToken(client);
      ports.opened(client);
      client.on(Events.ShardDisconnect, ({ code }) => {
        const remedy = remedyByFinalCode[code];
        if (code === shardingRequired && options.shards === undefined) end({ kind: 'shards' });
        else if (remedy !== undefined) end({ kind: 'refused', remedy });
      });
      client.login(options.token.reveal()).catch((error: unknown) => {
        if (error instanceof DiscordjsError && error.code === 'TokenInvalid')
          return end({ kind: 'refused', remedy: notAccepted });
        log.warn(problem(error), 'Discord is unreachable; retrying');
        ports.unreachable();
        return end({ kind: 'failed' });
      });
      return client;
    });
  };

  const closeClient = async (client: Client): Promise<void> => {
    const report = (error: unknown) => log.debug(problem(error), 'Discord: error while a client closes');
    const timer = new AbortController();
    const closed = withinBoundary(report, () => client.destroy()).catch(report);
    await Promise.race([closed, wall.sleep(closingTime, timer.signal).catch(() => {})]);
    timer.abort();
  };

  const pauseAfterEnd = (ending: Ending, attempt: number): number => {
    const pause = pauseAfter(attempt);
    if (ending.kind === 'failed') return pause;
    if (ending.kind === 'refused') {
      ports.refused(ending.remedy);
      return Math.max(refusalPause, pause);
    }
    log.warn('Discord wants more shards: asking how many, and connecting again');
    return attempt === 0 ? 0 : pause;
  };

  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const begun = wall.now();
    const ended = Promise.withResolvers<Ending>();
    const client = openClient(ended.resolve);
    const ending = await Promise.race([ended.promise, stopped]);
    await closeClient(client);
    if (ending === undefined) return;
    if (wall.now() - begun > healthyAfter) attempt = 0;
    await wall.sleep(pauseAfterEnd(ending, attempt), signal).catch(() => {});
  }
}

/** discord.js forgets its token after a single 401, and could request nothing any more. */
function keepToken({ rest }: Client): void {
  const setToken = rest.setToken.bind(rest);
  rest.setToken = (token: string | null) => (token === null ? rest : setToken(token));
}

/** Restricts the client to events about guilds and their channels, and caches almost no members, messages or presences. */
const clientOptions = ({ apiUrl, shards }: DiscordOptions): ClientOptions => ({
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

/**
 * Error codes (undici's, the system's) of a connection closed during a request: it is not known whether the request arrived.
 */
const closedCodes = new Set<unknown>(['UND_ERR_SOCKET', 'ECONNRESET']);

/** The URL of the first response to an interaction. Discord accepts it once and refuses a repetition. */
const firstAnswer = /\/interactions\/\d+\/[^/]+\/callback(?:\?|$)/;

/** Tells whether a request may be sent twice. Any other POST, repeated, would post its message twice. */
const isRepeatable = (method: string, url: string): boolean => method !== 'POST' || firstAnswer.test(url);

/**
 * Sends the requests of discord.js with Node's `fetch`. Our version of undici installs itself as the global dispatcher, and
 * with that the undici of discord.js cannot send forms, which it needs for pictures. `fetch` gives the reason of a failure
 * as the error's cause. discord.js only retries errors with the code ECONNRESET, but a proxy that closes a kept-alive
 * connection just as it is reused causes another code; repeatable requests therefore fail with ECONNRESET.
 */
export const fetchWithNode: RESTOptions['makeRequest'] = (url, { dispatcher: _, ...init }) =>
  fetch(url, init as RequestInit).catch((error: Error) => {
    const cause = (error.cause ?? error) as Error & { readonly code?: unknown };
    if (!closedCodes.has(cause.code)) throw cause;
    const problem = new Error('Discord or a proxy closed the connection', { cause });
    throw isRepeatable(init.method ?? 'GET', url) ? Object.assign(problem, { code: 'ECONNRESET' }) : problem;
  });
