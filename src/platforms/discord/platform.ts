import { z } from 'zod';
import { msg } from '../../language/text.ts';
import { definePlatform } from '../platform.ts';
import { serverProblem } from '../server-problem.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';
import { snowflake } from './post-body.ts';
import { paceOf } from './posts.ts';
import { publishLimit } from './publishing.ts';
import { notAccepted, tokenHeaders } from './rest.ts';

/** A link as Discord's "Copy Link" gives it, or `discord:SERVER/CHANNEL`. The id of a thread follows that of its channel. */
const addressPattern =
  /^(?:discord:|https:\/\/(?:\w+\.)?discord\.com\/channels\/)(?:(\d+)|@me)\/(\d+)(?:\/(\d+))?$/;

/** The user of the token (Discord API docs, "Get Current User"). */
const user = z.object({ id: snowflake });

/** Discord: a bot in channels, threads and forums of guilds, connected by Discord's REST API and its gateway. */
export default definePlatform({
  name: 'discord',
  slash: 'options',
  env: {
    token: 'DISCORD_TOKEN',
    clientSecret: 'DISCORD_CLIENT_SECRET',
    apiUrl: 'DISCORD_API_URL',
    shards: 'DISCORD_SHARDS',
    presence: 'DISCORD_PRESENCE',
  },
  options,
  address,
  addressFormat: {
    example: 'https://discord.com/channels/SERVER/CHANNEL',
    read(text) {
      const [, guildId, channelId = '', threadId] = addressPattern.exec(text) ?? [];
      const place = { channelId, ...(guildId && { guildId }), ...(threadId && { threadId }) };
      return address.safeParse(place).success ? place : undefined;
    },
    write: ({ guildId = '@me', channelId, threadId }) =>
      ['discord:', guildId, `/${channelId}`, threadId && `/${threadId}`].join(''),
  },
  person: { example: 'discord:USER_ID', pattern: /^discord:\d+$/ },
  shown: (address) => address,
  account: ({ guildId }) => guildId,
  labels: true,
  limits: {
    // Discord allows 50 requests a second; the first limit keeps to that over any sliding second too, and leaves one request
    // for the gateway's client, which sends few. The second limit spreads the requests, because many at once are more
    // likely to be delayed. The limits of channels are learned from the headers of responses.
    total: [
      { per: 1_015, max: 49 },
      { per: 100, max: 8 },
    ],
    perAddress: [publishLimit],
    paceKey: paceOf,
    concurrency: 64,
  },
  connecting: {
    title: 'Discord',
    steps: [
      msg('Open {url}, press New Application and give it a name.', {
        url: 'https://discord.com/developers/applications',
      }),
      msg('Under Bot, press Reset Token, and copy the token.'),
    ],
    notAccepted,
    asks: { token: msg('Bot token'), clientSecret: msg('Client secret, for signing in on the page') },
    joining: msg('Add the bot to a server that you manage.'),
  },
  /** Reads the token's user, for which a bot needs no permission. */
  problem: ({ token, apiUrl, timeout }) =>
    serverProblem(`${apiUrl}/v10/users/@me`, {
      headers: tokenHeaders(token),
      timeout,
      isExpected: (status, json) => status === 200 && user.safeParse(json).success,
      // A 403 does not concern the token: the proxy in front of Discord sends it to addresses that it blocks.
      isUnauthorized: (status) => status === 401,
      unauthorizedProblem: notAccepted,
      remedy: 'is DISCORD_API_URL right? If it is, try again later',
    }),
  notifier: openNotifier,
  async conversation(given, ports) {
    const { startDiscord } = await import('./discord.ts');
    const discord = startDiscord(given, ports);
    ports.onLoss(discord.notifyLoss);
    ports.warmUpDrawing();
    return discord;
  },
});
