import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryError } from '#src/language/errors.ts';
import platform from '#src/platforms/discord/platform.ts';
import { announcementsOf } from '#src/platforms/discord/publishing.ts';
import type { Connection, Notification } from '#src/platforms/notifier.ts';
import { createPace } from '#src/runtime/pace.ts';
import { alertCard } from '#test/support/console.ts';
import { type Discord, startDiscord } from '#test/support/discord/discord.ts';
import { refused } from '#test/support/discord/faults.ts';
import { readyFixture, until } from '#test/support/discord/platform.ts';
import type { StoredChannel } from '#test/support/discord/world.ts';
import { memoryPlaces } from '#test/support/places.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { steadyWait } from '#test/support/steady-wait.ts';

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
  it('is published to the followers once, and edits reach them too', async () => {
    const connection = connect();
    const reference = await send(connection);
    await until(() => follower.messages.length === 1);
    await edit(connection, reference, 'It eased');
    expect(titles(follower)).toEqual(['It eased']);
    expect(titles(news)).toEqual(['It eased']);
    // When the next message has been published, a second attempt for the first would have been made.
    await send(connection);
    await until(() => follower.messages.length === 2);
    expect(asked()).toHaveLength(2);
  });

  it.each([
    ['what is said to the channel itself', { card: { title: 'Alerts will arrive here' } }, {}, {}],
    ['where that is not wanted', {}, {}, { publish: false }],
  ])('is published, but not %s', async (_what, given, to, options) => {
    await send(connect(options), given, to);
    await send(connect());
    await until(() => follower.messages.length === 1);
    expect(titles(follower)).toEqual([alertCard.title]);
    expect(asked()).toHaveLength(1);
  });

  it('is published, but not an alert in another channel or in a thread', async () => {
    const thread = discord.addChannel({ type: 11, parent_id: news.id, guild_id: guildId });
    const other = discord.addChannel({ guild_id: guildId });
    const connection = connect();
    await send(connection, {}, { threadId: thread.id });
    await send(connection, {}, { channelId: other.id });
    await send(connection);
    await until(() => follower.messages.length === 1);
    expect(asked()).toHaveLength(1);
  });

  it('beyond ten within an hour is not published, and Discord is not asked to', async () => {
    const connection = connect();
    for (let each = 0; each < 12; each++) await send(connection);
    await until(() => follower.messages.length === 10);
    expect(news.messages).toHaveLength(12);
    expect(asked().map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it('is published at its next edit if publishing failed', async () => {
    const connection = connect();
    discord.inject({
      answer: refused(500, 0, '500: Internal Server Error'),
      only: ({ path }) => path.endsWith('/crosspost'),
    });
    const reference = await send(connection);
    await until(() => asked().length === 1);
    // The first attempt must be over before another may begin.
    await until(() => {
      if (follower.messages.length === 0)
        void edit(connection, reference, `It eased ${++made}`).catch(() => {});
      return follower.messages.length === 1;
    });
    expect(asked().at(-1)?.status).toBe(200);
  });

  it('edited more often than Discord allows is edited later', async () => {
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
  it('are remembered for all processes as they are added, changed and removed', async () => {
    const places = memoryPlaces();
    const remembered = () => places.facts.get(announcementsOf(guildId));
    await using _f = await readyFixture({ discord, places, keepsDouble: true });
    await until(() => remembered() === news.id);
    const channel = (id: string, type: number) => ({ id, guild_id: guildId, type, name: 'news' });
    const second = discord.id();
    discord.gateway.dispatch('CHANNEL_CREATE', channel(second, 5));
    await until(() => remembered() === `${news.id} ${second}`);
    discord.gateway.dispatch('CHANNEL_UPDATE', channel(news.id, 0));
    await until(() => remembered() === second);
    discord.gateway.dispatch('CHANNEL_DELETE', channel(second, 5));
    await until(() => remembered() === '');
  });
});
