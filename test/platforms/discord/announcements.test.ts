import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryError } from '#src/language/errors.ts';
import { createPace } from '#src/pace/pace.ts';
import platform from '#src/platforms/discord/platform.ts';
import { announcementsOf } from '#src/platforms/discord/publishing.ts';
import type { Connection, Notification } from '#src/platforms/notifier.ts';
import { steadyWait } from '#src/runtime/clock.ts';
import { alertCard } from '#test/support/console.ts';
import { type Discord, startDiscord } from '#test/support/discord/discord.ts';
import { refused } from '#test/support/discord/faults.ts';
import { platformFixture, until } from '#test/support/discord/platform.ts';
import type { StoredChannel } from '#test/support/discord/world.ts';
import { memoryPlaces } from '#test/support/places.ts';
import { notifierPorts } from '#test/support/ports.ts';

// As in the bot's own process, where it is loaded before anything has fetched; here the test runner was first.
const before = getGlobalDispatcher();
beforeAll(() => setGlobalDispatcher(new Agent()));
afterAll(() => setGlobalDispatcher(before));

const never = new AbortController().signal;
let discord: Discord;
let guildId: string;
let news: StoredChannel;
let follower: StoredChannel;
const open: Connection[] = [];

beforeEach(async () => {
  discord = await startDiscord();
  const { guild } = discord.addGuild();
  guildId = guild.id;
  follower = discord.addGuild().channel;
  news = discord.addChannel({ type: 5, guild_id: guildId, followers: [follower.id] });
});
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close?.();
  await discord.close();
});

function connect(options: object = {}): Connection {
  const given = { token: discord.token, apiUrl: discord.url, ...options };
  const ports = notifierPorts({
    pace: createPace(platform.limits, steadyWait),
    recall: async (name) => (name === announcementsOf(guildId) ? news.id : undefined),
  });
  const connection = platform.notifier(platform.options.parse(given), ports);
  open.push(connection);
  return connection;
}

let made = 0;
const notification = (given: Partial<Notification> = {}): Notification => ({
  id: `news${++made}-of-22-letters`.padEnd(22, 'x'),
  version: 'v001',
  card: alertCard,
  loud: true,
  doubt: false,
  ...given,
});
const send = ({ send }: Connection, given: Partial<Notification> = {}, to: object = {}) =>
  send(notification(given), { address: { channelId: news.id, guildId, ...to }, signal: never });
const edit = (connection: Connection, reference: string, title: string) =>
  connection.edit?.(reference, {
    notification: notification({ card: { ...alertCard, title } }),
    address: { channelId: news.id, guildId },
    signal: never,
  }) ?? Promise.reject(new Error('it edits'));
const asked = () => discord.requests.filter(({ path }) => path.endsWith('/crosspost'));
const titles = ({ messages }: StoredChannel) => messages.map(({ embeds }) => embeds[0]?.title);

describe('an alert in an announcement channel', () => {
  it('is published once to those who follow, and stays there as it is here', async () => {
    const connection = connect();
    const reference = await send(connection);
    await until(() => follower.messages.length === 1);
    await edit(connection, reference, 'It eased');
    expect(titles(follower)).toEqual(['It eased']);
    expect(titles(news)).toEqual(['It eased']);
    // What comes later has been published by the time another try would have been.
    await send(connection);
    await until(() => follower.messages.length === 2);
    expect(asked()).toHaveLength(2);
  });

  it.each([
    ['what is said to the channel itself', { card: { title: 'Alerts will arrive here' } }, {}, {}],
    ['where that is not wanted', {}, {}, { publish: false }],
  ])('alone is published, not %s', async (_what, given, to, options) => {
    await send(connect(options), given, to);
    await send(connect());
    await until(() => follower.messages.length === 1);
    expect(titles(follower)).toEqual([alertCard.title]);
    expect(asked()).toHaveLength(1);
  });

  it('alone is published, not one in another channel or in a thread', async () => {
    const thread = discord.addChannel({ type: 11, parent_id: news.id, guild_id: guildId });
    const other = discord.addChannel({ guild_id: guildId });
    const connection = connect();
    await send(connection, {}, { threadId: thread.id });
    await send(connection, {}, { channelId: other.id });
    await send(connection);
    await until(() => follower.messages.length === 1);
    expect(asked()).toHaveLength(1);
  });

  it('beyond ten within an hour stands in its channel alone, and Discord is not asked in vain', async () => {
    const connection = connect();
    for (let each = 0; each < 12; each++) await send(connection);
    await until(() => follower.messages.length === 10);
    expect(news.messages).toHaveLength(12);
    expect(asked().map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it('is published by its next edit where that failed', async () => {
    const connection = connect();
    discord.inject({
      answer: refused(500, 0, '500: Internal Server Error'),
      only: ({ path }) => path.endsWith('/crosspost'),
    });
    const reference = await send(connection);
    await until(() => asked().length === 1);
    // The first has come to its end when another may begin.
    await until(() => {
      if (follower.messages.length === 0)
        void edit(connection, reference, `It eased ${++made}`).catch(() => {});
      return follower.messages.length === 1;
    });
    expect(asked().at(-1)?.status).toBe(200);
  });

  it('edited more often than Discord carries on is edited later', async () => {
    const connection = connect();
    const reference = await send(connection);
    await until(() => follower.messages.length === 1);
    for (let each = 0; each < 3; each++) await edit(connection, reference, `Turn ${each}`);
    const { outcome } = await edit(connection, reference, 'Turn 3').then(
      () => Promise.reject(new Error('it was taken')),
      (error: DeliveryError) => error,
    );
    expect(outcome).toMatchObject({ kind: 'rate_limited' });
    expect(titles(follower)).toEqual(['Turn 2']);
  });
});

describe('announcement channels', () => {
  it('are remembered for whoever posts there, as they come, change and go', async () => {
    const places = memoryPlaces();
    const remembered = () => places.facts.get(announcementsOf(guildId));
    const f = await platformFixture({ discord, places });
    await f.platform.ready;
    await until(() => remembered() === news.id);
    const channel = (id: string, type: number) => ({ id, guild_id: guildId, type, name: 'news' });
    const second = discord.id();
    discord.gateway.dispatch('CHANNEL_CREATE', channel(second, 5));
    await until(() => remembered() === `${news.id} ${second}`);
    discord.gateway.dispatch('CHANNEL_UPDATE', channel(news.id, 0));
    await until(() => remembered() === second);
    discord.gateway.dispatch('CHANNEL_DELETE', channel(second, 5));
    await until(() => remembered() === '');
    await f.platform.close();
  });
});
