import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { DeliveryError } from '#src/language/errors.ts';
import { plainReader, say } from '#src/language/say.ts';
import type { Text } from '#src/language/text.ts';
import { openNotifier } from '#src/platforms/discord/notifier.ts';
import { options as schema } from '#src/platforms/discord/options.ts';
import platform from '#src/platforms/discord/platform.ts';
import type { Connection, Notification, Sending } from '#src/platforms/notifier.ts';
import type { NotifierPorts } from '#src/platforms/ports.ts';
import { createPace } from '#src/runtime/pace.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { card as anyCard } from '#test/card/arbitrary.ts';
import { alertCard, marketCard } from '#test/support/console.ts';
import { type Discord, startDiscord } from '#test/support/discord/discord.ts';
import { limited, refused } from '#test/support/discord/faults.ts';
import type { StoredChannel } from '#test/support/discord/world.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { steadyWait } from '#test/support/steady-wait.ts';

const never = new AbortController().signal;
let discord: Discord;
let channel: StoredChannel;
let address: { channelId: string; guildId: string };
let blocked: (readonly [string | undefined, number])[];
let said: string[];
let lost: [object, Text, boolean][];
const open: Connection[] = [];

const at = (place: typeof address | { channelId: string; guildId?: string; threadId?: string }) => ({
  address: place,
  signal: never,
});

/** Opens a connection whose posts go to the channel, if no other place is given. */
function connect(options: object = {}, ports: Partial<NotifierPorts> = {}) {
  const connection = openNotifier(
    schema.parse({ token: discord.token, apiUrl: discord.url, timeout: '300ms', ...options }),
    notifierPorts({
      now: () => Date.UTC(2026, 2, 14, 9, 31),
      reportTokenRefused: (reason) => void said.push(say(reason, plainReader)),
      pace: {
        take: async () => ({ giveBack: () => undefined }),
        wait: () => 0,
        block: (...args) => void blocked.push(args),
        reportDelay: () => undefined,
      },
      reportLoss: ({ address, reason, forGood }) => void lost.push([address, reason, forGood]),
      ...ports,
    }),
  );
  open.push(connection);
  const { link, edit, find } = connection;
  if (edit === undefined || find === undefined) throw new Error('it edits and finds');
  return {
    link,
    send: (post: Notification, to: Sending = at(address)) => connection.send(post, to),
    edit: (reference: string, notification: Notification, to: Sending = at(address)) =>
      edit(reference, { notification, ...to }),
    find: (post: Notification, to: Sending = at(address)) => find(post, to),
  };
}

/** Begins with a double that has a guild with one channel. */
async function begin(given: Parameters<typeof startDiscord>[0] = {}) {
  discord = await startDiscord(given);
  const { guild, channel: text } = discord.addGuild();
  channel = text;
  address = { channelId: channel.id, guildId: guild.id };
}

async function restart(given: Parameters<typeof startDiscord>[0]) {
  await discord.close();
  await begin(given);
}

/** A card whose rows need more than one message. */
const long: Card<string> = {
  title: 'A settlement',
  table: {
    columns: ['Alert'],
    rows: Array.from({ length: 100 }, (_, index) => [`${'A very long title of row '.repeat(4)}${index}.`]),
  },
};

let made = 0;
const notification = (given: Partial<Notification> = {}): Notification => ({
  id: `nonce${++made}-of-22-letters`.padEnd(22, 'x'),
  version: 'v001',
  card: alertCard,
  loud: true,
  doubt: false,
  ...given,
});
const outcome = async (attempt: Promise<unknown>) => {
  const error = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DeliveryError);
  return (error as DeliveryError).outcome;
};
const rowsOf = (messages: StoredChannel['messages']) =>
  messages.flatMap(({ embeds }) => String(embeds[0]?.description).match(/row \d+\\?\./g) ?? []);
/** Returns the rows in a message and in the thread below it. */
const rowsWithThread = (message: StoredChannel['messages'][number] | undefined) =>
  message === undefined ? [] : rowsOf([message, ...(discord.channels.get(message.id)?.messages ?? [])]);
const sent = () =>
  discord.requests.map(({ method, path }) => `${method} ${path.replaceAll(/\d{17,}/g, '#')}`);

beforeEach(async () => {
  await begin();
  [blocked, said, lost] = [[], [], []];
});
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close?.();
  await discord.close();
});

describe('a post', () => {
  it('mentions nobody except the role that it is meant to mention', async () => {
    const { send } = connect();
    const card = { ...alertCard, summary: '@everyone <@&222222222222222222> <@333333333333333333>' };
    await send(notification({ card }));
    await send(notification({ card, mention: '222222222222222222' }));
    await send(notification({ card, mention: '@everyone' }));
    expect(channel.messages.map(({ pinged }) => pinged)).toEqual([[], ['<@&222222222222222222>'], []]);
  });

  it('makes a sound only if it is loud', async () => {
    const { send } = connect();
    await send(notification({ loud: true }));
    await send(notification({ loud: false }));
    expect(channel.messages.map(({ flags }) => flags)).toEqual([0, 4096]);
  });

  it('has its chart attached, and its edits have theirs', async () => {
    const image = async () => ({ png: new Uint8Array([0x89, 0x50, 0x4e, 0x47]), alt: 'It rose' });
    const { send, edit } = connect({}, { image });
    const reference = await send(notification());
    const [post] = channel.messages;
    expect(post?.attachments).toMatchObject([{ filename: 'chart.png', size: 4, description: 'It rose' }]);
    expect(post?.embeds[0]).toMatchObject({ image: { url: 'attachment://chart.png' } });
    await edit(reference, notification({ card: { title: 'Over' } }));
    expect(channel.messages[0]?.attachments).toEqual([]);
  });

  it('has no chart where the bot may not attach files, which is tried anew after an hour', async () => {
    let now = 0;
    const image = async () => ({ png: new Uint8Array([0x89, 0x50, 0x4e, 0x47]), alt: 'It rose' });
    const { send, edit } = connect({}, { image, now: () => now });
    channel.canAttach = false;
    const reference = await send(notification());
    await edit(reference, notification());
    await send(notification());
    expect(channel.messages.map(({ attachments }) => attachments)).toEqual([[], []]);
    expect([lost, discord.requests.filter(({ status }) => status === 403).length]).toEqual([[], 1]);
    channel.canAttach = true;
    now = 3_600_000;
    await send(notification());
    expect(channel.messages.at(-1)?.attachments).toHaveLength(1);
  });

  it('is a reply to the post that it escalates, even if that was deleted', async () => {
    const { send } = connect();
    const first = await send(notification());
    await send(notification({ replyTo: first }));
    channel.messages.shift();
    await send(notification({ replyTo: first }));
    const [, id] = first.split('/');
    expect(channel.messages.map(({ message_reference }) => message_reference?.message_id)).toEqual([id, id]);
  });

  it('is posted below the one that it escalates where the bot may not read the history, and not lost', async () => {
    const { send } = connect();
    const first = await send(notification());
    channel.canReadHistory = false;
    await send(notification({ replyTo: first }));
    await send(notification({ replyTo: first, doubt: true }));
    expect(channel.messages.map(({ message_reference }) => message_reference)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(lost).toEqual([]);
  });

  it('has a jump link, in a direct message too', async () => {
    const { send, link } = connect();
    const reference = await send(notification());
    const { guildId, channelId } = address;
    const [, id] = reference.split('/');
    expect(link?.(reference, address)).toBe(`https://discord.com/channels/${guildId}/${channelId}/${id}`);
    expect(link?.(reference, { channelId })).toBe(`https://discord.com/channels/@me/${channelId}/${id}`);
  });

  it('that may only be edited is never replaced by a reply, and links to the newer post in its title', async () => {
    const { send, edit } = connect();
    const reference = await send(notification());
    const pointer = { card: { title: 'Continued', url: 'https://discord.com/x' }, onlyEdit: true };
    await edit(reference, notification({ ...pointer, doubt: true }));
    expect(channel.messages[0]?.embeds[0]).toMatchObject({
      title: 'Continued',
      url: 'https://discord.com/x',
    });
    Object.assign(channel, { refusesOldEdits: true });
    expect(await outcome(edit(reference, notification(pointer)))).toEqual({ kind: 'rejected' });
    expect(channel.messages).toHaveLength(1);
  });

  it('goes into a thread if the address names one', async () => {
    const thread = discord.addChannel({ type: 11, parent_id: channel.id, guild_id: address.guildId });
    await connect().send(notification(), at({ ...address, threadId: thread.id }));
    expect([channel.messages.length, thread.messages.length]).toEqual([0, 1]);
  });

  it('becomes a new forum post in a forum, where it can be edited and found', async () => {
    const forum = discord.addChannel({ type: 15, guild_id: address.guildId });
    const { send, edit } = connect();
    const to = { ...address, channelId: forum.id };
    const one = notification();
    const reference = await send(one, at(to));
    const thread = discord.channels.get(reference.split('/')[0] ?? '');
    expect(thread).toMatchObject({ type: 11, parent_id: forum.id });
    await edit(reference, { ...one, card: { title: 'Over' } }, at(to));
    expect(thread?.messages[0]?.embeds[0]?.title).toBe('Over');
    expect(await connect().send({ ...one, doubt: true }, at(to))).toBe(reference);
    expect([...discord.channels.values()].filter(({ type }) => type === 11)).toHaveLength(1);
  });

  it('with too many rows opens a thread that contains them all', async () => {
    const { send } = connect();
    await send(notification({ card: marketCard }));
    expect(discord.channels.get(channel.messages[0]?.id ?? '')).toBeUndefined();
    await send(notification({ id: 'long', card: long }));
    expect(rowsWithThread(channel.messages[1])).toHaveLength(100);
    discord.inject({
      answer: refused(403, 50013, 'Missing Permissions'),
      only: ({ path }) => path.endsWith('/threads'),
    });
    await send(notification({ id: 'more', card: long }));
    expect(channel.messages).toHaveLength(3);
  });

  it('whose thread was begun by an attempt that broke off gets the rest of its rows, each once', async () => {
    const { send } = connect();
    let pages = 0;
    discord.inject({
      answer: refused(500, 0, '500: Internal Server Error'),
      only: ({ method, path }) =>
        method === 'POST' && /messages$/.test(path) && !path.includes(channel.id) && ++pages === 2,
    });
    const one = notification({ card: long });
    await send(one);
    expect(rowsWithThread(channel.messages[0]).length).toBeLessThan(100);
    await send({ ...one, doubt: true });
    expect(rowsWithThread(channel.messages[0])).toHaveLength(100);
  });

  it('whose rows stand below it, without a thread, gets each of them once when it is sent again', async () => {
    const { send } = connect({ threads: false });
    const one = notification({ card: long });
    await send(one);
    await send({ ...one, doubt: true });
    expect(rowsOf(channel.messages)).toHaveLength(100);
  });

  it('is accepted whatever its card contains', async () => {
    const { send } = connect();
    await fc.assert(
      fc.asyncProperty(anyCard, async (card: Card<string>) => {
        await send(notification({ card }));
        expect(channel.messages.at(-1)?.pinged).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('an attempt with unknown outcome', () => {
  it('whose response was lost returns the first message when repeated', async () => {
    const { send } = connect();
    const one = notification();
    discord.inject({ reset: 'after' });
    expect(await outcome(send(one))).toEqual({
      kind: 'unavailable',
      accepted: 'unknown',
    });
    const reference = await send(one);
    expect(channel.messages.map(({ id }) => `${channel.id}/${id}`)).toEqual([reference]);
  });

  it('with a newer version edits the first message', async () => {
    const { send } = connect();
    const one = notification();
    await send(one);
    await send({ ...one, version: 'v002', card: { title: 'More' } });
    expect(channel.messages.map(({ embeds }) => embeds[0]?.title)).toEqual(['More']);
  });

  it('with a newer version is in doubt until the first message has been edited', async () => {
    const { send } = connect();
    const one = notification();
    await send(one);
    const newer = { ...one, version: 'v002', card: { title: 'More' } };
    discord.inject({ answer: { status: 503, body: '<html>' }, only: ({ method }) => method === 'PATCH' });
    expect(await outcome(send(newer))).toEqual({
      kind: 'unavailable',
      accepted: 'unknown',
    });
    await send({ ...newer, doubt: true });
    expect(channel.messages.map(({ embeds }) => embeds[0]?.title)).toEqual(['More']);
  });

  it('is found among the latest messages even if the nonce is long forgotten', async () => {
    await restart({ nonceWindow: 0 });
    const { send } = connect();
    const one = notification();
    const reference = await send(one);
    for (let other = 0; other < 30; other++) await send(notification());
    const again = { ...one, doubt: true, version: 'v002', card: { title: 'Later' } };
    expect(await send(again)).toBe(reference);
    expect(channel.messages).toHaveLength(31);
    expect(channel.messages[0]?.embeds[0]?.title).toBe('Later');
  });

  it.each([
    ['has buttons', alertCard],
    ['has none', { title: 'A digest', summary: 'Three alerts' }],
  ])('is found by invisible ids, whether it %s', async (_what, card) => {
    await restart({ nonceWindow: 0 });
    const { send } = connect();
    const one = notification({ card });
    const reference = await send(one);
    await send(notification({ card }));
    expect(await send({ ...one, doubt: true })).toBe(reference);
    expect(channel.messages).toHaveLength(2);
    expect(JSON.stringify(channel.messages.map(({ embeds }) => embeds))).not.toContain('#');
  });

  it('that never arrived is posted', async () => {
    const reference = await connect().send(notification({ doubt: true }));
    expect(reference).toBe(`${channel.id}/${channel.messages[0]?.id}`);
  });

  it('is not mistaken for the message that it replies to, even if that was edited since and has the same mark', async () => {
    const { send, edit } = connect();
    const first = await send(notification());
    // An edit of a message and a reply to it have the same id; the alert decides which of the two it is.
    const answer = notification({ replyTo: first });
    await edit(first, answer);
    const reference = await send({ ...answer, version: 'v002', doubt: true });
    expect(channel.messages.map(({ id }) => `${channel.id}/${id}`)).toEqual([first, reference]);
  });

  it('is looked for without posting: found, not there, or unknown', async () => {
    const { send, find } = connect();
    const unseen = notification();
    expect(await find(unseen)).toBeUndefined();
    const first = await send(notification());
    expect(await find(unseen)).toBeNull();
    const answer = notification({ replyTo: first });
    expect(await find(answer)).toBeNull();
    discord.inject({ reset: 'after' });
    await outcome(send(answer));
    const [, second] = channel.messages;
    expect(await find(answer)).toBe(`${channel.id}/${second?.id}`);
    for (let other = 0; other < 100; other++) await send(notification());
    expect(await find(unseen)).toBeUndefined();
    expect(channel.messages).toHaveLength(102);
  });

  it('is found in the forum post that it replies to', async () => {
    await restart({ nonceWindow: 0 });
    const forum = discord.addChannel({ type: 15, guild_id: address.guildId });
    const to = { ...address, channelId: forum.id };
    const { send } = connect();
    const first = await send(notification(), at(to));
    const answer = notification({ replyTo: first });
    const reference = await send(answer, at(to));
    expect(await send({ ...answer, doubt: true }, at(to))).toBe(reference);
    expect(discord.channels.get(first.split('/')[0] ?? '')?.messages).toHaveLength(2);
  });

  it('waits if the outcome cannot be found out', async () => {
    discord.inject({ answer: { status: 503, body: '<html>' } });
    expect(await outcome(connect().send(notification({ doubt: true })))).toMatchObject({
      kind: 'unavailable',
    });
    expect(channel.messages).toEqual([]);
  });
});

describe.each([
  ['was deleted', (thread: StoredChannel) => void discord.channels.delete(thread.id)],
  [
    'was closed and locked',
    (thread: StoredChannel) => void Object.assign(thread, { archived: true, locked: true }),
  ],
])('a forum post that %s by a moderator', (_, close) => {
  const forumPost = async () => {
    await restart({ nonceWindow: 0 });
    const forum = discord.addChannel({ type: 15, guild_id: address.guildId });
    const to = at({ ...address, channelId: forum.id });
    const connection = connect();
    const first = notification();
    const reference = await connection.send(first, to);
    const thread = discord.channels.get(reference.split('/')[0] ?? '') as StoredChannel;
    close(thread);
    const posts = () => [...discord.channels.values()].filter(({ parent_id }) => parent_id === forum.id);
    return { ...connection, to, first, reference, thread, posts };
  };

  it('is not edited any more, and holds up nothing else in the forum', async () => {
    const { edit, to, first, reference, posts } = await forumPost();
    const before = posts().length;
    for (const onlyEdit of [false, true]) {
      const over = { ...first, card: { ...alertCard, title: 'It is over' }, onlyEdit };
      expect(await outcome(edit(reference, over, to))).toEqual({ kind: 'rejected' });
    }
    expect(posts()).toHaveLength(before);
    expect(lost).toEqual([]);
  });

  it('is followed by a post of its own if the alert gets worse, which is found again', async () => {
    const { send, find, to, reference, thread, posts } = await forumPost();
    const before = posts().length;
    const worse = notification({ replyTo: reference });
    expect(await find(worse, to)).toBeFalsy();
    const second = await send(worse, to);
    expect(second.split('/')[0]).not.toBe(thread.id);
    expect(posts()).toHaveLength(before + 1);
    expect(await find(worse, to)).toBe(second);
    expect(await send({ ...worse, doubt: true }, to)).toBe(second);
    expect(posts()).toHaveLength(before + 1);
    expect(lost).toEqual([]);
  });
});

describe('an edit', () => {
  it.each([
    ['an old post that takes no more (30046)', () => Object.assign(channel, { refusesOldEdits: true })],
    ['a thread that is archived (50083)', () => Object.assign(channel, { archived: true })],
  ])('of %s becomes a reply, which later edits change', async (_, arrange) => {
    const { send, edit } = connect();
    const reference = await send(notification());
    arrange();
    const update = notification({ card: { title: 'Resolved' }, replyTo: reference });
    const next = await edit(reference, update);
    const [first, second] = channel.messages;
    expect(second).toMatchObject({ message_reference: { message_id: first?.id }, flags: 4096 });
    expect(next).toBe(`${channel.id}/${second?.id}`);
    Object.assign(channel, { archived: false, refusesOldEdits: true });
    expect(await edit(reference, { ...update, doubt: true })).toBe(next);
    expect(channel.messages).toHaveLength(2);
  });

  it('of a deleted post (10008) fails and ends no subscription', async () => {
    const { send, edit } = connect();
    const reference = await send(notification());
    channel.messages = [];
    expect(await outcome(edit(reference, notification()))).toEqual({ kind: 'rejected' });
    expect(lost).toEqual([]);
  });
});

describe('Discord’s rate limits', () => {
  it('reach the pace: per place from the headers, for everything from a global 429', async () => {
    const spent = {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset-after': '4.25',
      'x-ratelimit-bucket': 'b',
    };
    const { send } = connect();
    discord.inject({ answer: { status: 400, body: { code: 50035, message: 'x' }, headers: spent } });
    await outcome(send(notification()));
    const years = { ...spent, 'x-ratelimit-reset-after': '1e12' };
    discord.inject({ answer: { status: 400, body: { code: 50035, message: 'x' }, headers: years } });
    await outcome(send(notification()));
    discord.inject({ answer: limited(0.3) });
    await outcome(send(notification()));
    discord.inject({ answer: limited(7, 'global') });
    await outcome(send(notification()));
    const place = `${channel.id}/post`;
    expect(blocked).toEqual([
      [place, 4_250],
      [place, 86_400_000],
      [place, 300],
      [undefined, 7_000],
    ]);
  });

  it('a refused token is reported once, and tried again every few minutes', async () => {
    let now = 0;
    const { send } = connect({ token: 'bm8gYm90.no.such-token-anywhere' }, { steady: { now: () => now } });
    for (; now < hour; now += second)
      expect(await outcome(send(notification()))).toMatchObject({
        kind: 'rate_limited',
      });
    expect(discord.requests).toHaveLength(14);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('DISCORD_TOKEN');
    expect(said[0]).not.toContain('such-token-anywhere');
  });

  it('one passing 401 costs a minute, and that it is over is reported', async () => {
    let now = 0;
    const reports: string[] = [];
    const { send } = connect(
      {},
      {
        steady: { now: () => now },
        reportTokenRefused: () => void reports.push('refused'),
        reportTokenAccepted: () => void reports.push('accepted'),
      },
    );
    discord.inject({ answer: { status: 401, body: { message: '401: Unauthorized', code: 0 } } });
    const post = notification();
    expect(await outcome(send(post))).toEqual({
      kind: 'rate_limited',
      retryAfter: minute,
    });
    now = minute - 1;
    await outcome(send(post));
    now = minute;
    await send(post);
    await send(notification());
    expect(channel.messages).toHaveLength(2);
    expect(reports).toEqual(['refused', 'accepted']);
  });

  it('are respected by the pace, so that a strict double refuses nothing', async () => {
    await restart({ limits: { perSecond: 50, sliding: true, bucket: { limit: 2, per: 300 } } });
    const places = Array.from({ length: 3 }, () => discord.addGuild().channel);
    const pace = createPace(platform.limits, steadyWait);
    const { send } = connect({}, { pace });
    await Promise.all(
      places.map(async ({ id }) => {
        for (let post = 0; post < 5; post++) {
          await pace.take(`${id}/post`, { lane: 'routine', signal: never });
          await send(notification(), at({ channelId: id }));
        }
      }),
    );
    expect(discord.requests.map(({ status }) => status)).toEqual(Array(15).fill(200));
  });
});

it.each([50_008, 50_024])('a channel whose type takes no messages rests, and is told: %i', async (code) => {
  const answer = refused(400, code, 'Cannot execute action on this channel type');
  discord.inject({ answer, times: 2 });
  expect(await outcome(connect().send(notification()))).toEqual({
    kind: 'barred',
  });
  expect(lost.map(([, why]) => say(why, plainReader))).toEqual([expect.stringContaining('of this type')]);
  // It may have become a channel that takes messages since.
  await connect().send(notification());
  expect(channel.messages).toHaveLength(1);
});

it('a place that cannot be posted in is reported with the missing permission', async () => {
  channel.canSend = false;
  await outcome(connect().send(notification()));
  expect(lost.map(([where, why]) => [where, say(why, plainReader)])).toEqual([
    [address, expect.stringContaining('"Send Messages"')],
  ]);
  expect(sent()).toEqual(['POST /channels/#/messages']);
});

it.each([
  [
    'a person who has no server in common with the bot',
    refused(403, 50_278, 'Cannot send messages to this user'),
    'they must join',
  ],
  ['a locked thread', refused(400, 160_005, 'This thread is locked'), 'a moderator must unlock it'],
  ['a server behind a verification', refused(403, 50_009, 'Verification level too high'), 'exempt the bot'],
])('%s is reported with what must be done, and by whom', async (_who, answer, remedy) => {
  discord.inject({ answer });
  await outcome(connect().send(notification()));
  expect(lost.map(([, why]) => say(why, plainReader))).toEqual([expect.stringContaining(remedy)]);
});
