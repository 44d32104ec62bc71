import type { DeliveryFailure } from '#src/language/errors.ts';
import { type Discord, startDiscord } from '#test/support/discord/discord.ts';
import { type Fault, limited, refused } from '#test/support/discord/faults.ts';
import type { StoredChannel } from '#test/support/discord/world.ts';
import type { NotifierFixture } from '../fixture.ts';

// One double for all tests, because the options of a fixture are needed before any place is opened.
const discord = await startDiscord();
const ports = {
  now: () => Date.UTC(2026, 2, 14, 9, 31),
  pace: {
    take: async () => ({ giveBack: () => undefined }),
    wait: () => 0,
    block: () => undefined,
    reportDelay: () => undefined,
  },
};

const fresh = () => {
  const { guild, channel } = discord.addGuild();
  return { channel, address: { channelId: channel.id, guildId: guild.id } };
};

const when = (
  name: string,
  expected: DeliveryFailure,
  arrange: (channel: StoredChannel, double: Discord) => void,
): NotifierFixture['failures'][number] => ({
  name,
  expected,
  async arrange() {
    const { channel, address } = fresh();
    arrange(channel, discord);
    return { ports, address, close: async () => undefined };
  },
});
const faulty = (name: string, expected: DeliveryFailure, fault: Fault) =>
  when(name, expected, (channel, { inject }) =>
    inject({ ...fault, only: ({ path }) => path.includes(channel.id) }),
  );

const gone: DeliveryFailure = { kind: 'gone' };
const missing: DeliveryFailure = { kind: 'missing' };
const barred: DeliveryFailure = { kind: 'barred' };
const rejected: DeliveryFailure = { kind: 'rejected' };
const unknown: DeliveryFailure = { kind: 'unavailable', accepted: 'unknown' };
const notDone: DeliveryFailure = { kind: 'unavailable', accepted: 'no' };
const pause = (retryAfter: number): DeliveryFailure => ({ kind: 'rate_limited', retryAfter });

export default {
  overHttp: true,
  options: { token: discord.token, apiUrl: discord.url, timeout: '300ms' },
  secrets: [discord.token, 'a-secret-only-the-double-knows'],
  shown: [
    [
      { channelId: '12345678901234567', threadId: '12345678901234568' },
      { channelId: '12345678901234567', threadId: '12345678901234568' },
    ],
  ],
  refused: [
    {},
    { channelId: 12345 },
    { channelId: 'general' },
    { channelId: '1'.repeat(21) },
    { guildId: '1'.repeat(18) },
  ],
  async open() {
    const { channel, address } = fresh();
    return {
      ports,
      address,
      received: () => channel.messages.map((message) => JSON.stringify(message.embeds)),
      close: async () => undefined,
    };
  },
  failures: [
    faulty('429 of a route, 0.3 s', pause(300), { answer: limited(0.3) }),
    faulty('429 of everything', pause(43_838_000), { answer: limited(43_838, 'global') }),
    faulty('429 of everything, for years', pause(86_400_000), { answer: limited(1e9, 'global') }),
    faulty('429 of a shared resource', pause(1_500), { answer: limited(1.5, 'shared') }),
    faulty('429 of a proxy, a page', pause(7_000), {
      answer: { status: 429, body: '<html>', headers: { 'retry-after': '7' } },
    }),
    faulty('429 that says nothing', pause(60_000), { answer: { status: 429, body: {} } }),
    faulty('500', unknown, { answer: { status: 500, body: { message: '500: Internal Server Error' } } }),
    faulty('502, a page', unknown, { answer: { status: 502, body: '<html>bad gateway</html>' } }),
    faulty('200, a page', unknown, { answer: { status: 200, body: '<html>hello</html>' } }),
    faulty('200, JSON of something else', unknown, { answer: { status: 200, body: { id: 7 } } }),
    faulty(
      '403 of a proxy, a page',
      { kind: 'unavailable', accepted: 'no' },
      {
        answer: { status: 403, body: '<html>' },
      },
    ),
    faulty('130000 overloaded', unknown, {
      answer: refused(400, 130_000, 'API resource is currently overloaded'),
    }),
    faulty('40006 turned off for now', unknown, {
      answer: refused(403, 40_006, 'This feature has been temporarily disabled server-side'),
    }),
    faulty('40333 internal network error', unknown, {
      answer: refused(403, 40333, 'internal network error'),
    }),
    faulty('a reset before acceptance', unknown, { reset: 'before' }),
    faulty('a reset after acceptance', unknown, { reset: 'after' }),
    faulty('no answer', unknown, { hang: 'before' }),
    faulty('no answer, though it was accepted', unknown, { hang: 'after' }),
    faulty('40067 a forum that requires a tag', barred, {
      answer: refused(400, 40067, 'A tag is required to create a forum post in this channel'),
    }),
    faulty(
      '160006 too many active threads, of which one may be archived any time',
      { kind: 'unavailable', accepted: 'no' },
      { answer: refused(400, 160_006, 'Maximum number of active threads reached') },
    ),
    ...['40001 Unauthorized', '0 401: Unauthorized'].map((said) =>
      faulty(`401 with the code ${said}`, pause(60_000), {
        answer: refused(401, Number.parseInt(said, 10), said),
      }),
    ),
    ...[403, 404, 405].map((status) =>
      faulty(`${status} of a proxy, JSON without a cause`, notDone, {
        answer: { status, body: { message: `${status}`, code: 0 } },
      }),
    ),
    faulty('160007 too many announcement threads', barred, {
      answer: refused(400, 160_007, 'Maximum number of active announcement threads reached'),
    }),
    ...[50_008, 50_024].map((code) =>
      faulty(`${code} a channel of the wrong type`, barred, {
        times: 2,
        answer: refused(400, code, 'Cannot execute action on this channel type'),
      }),
    ),
    ...[40_066, 40_058, 50_009, 50_095].map((code) =>
      faulty(`${code} a place that takes no posts for now`, barred, { answer: refused(400, code, 'No') }),
    ),
    faulty('160005 a locked thread', barred, { answer: refused(400, 160_005, 'This thread is locked') }),
    faulty('10004 unknown guild', missing, { answer: refused(404, 10004, 'Unknown Guild') }),
    faulty('50027 webhook token', gone, { answer: refused(401, 50027, 'Invalid Webhook Token') }),
    faulty('50035 invalid form', rejected, { answer: refused(400, 50035, 'Invalid Form Body') }),
    faulty('50006 empty', rejected, { answer: refused(400, 50006, 'Cannot send an empty message') }),
    faulty(
      '401',
      { kind: 'rate_limited', retryAfter: 60_000 },
      {
        answer: { status: 401, body: { message: '401: Unauthorized', code: 0 } },
      },
    ),
    faulty('403 of a right nobody knows', barred, { answer: refused(403, 20_022, 'No') }),
    when('10003 unknown channel', missing, ({ id }, { channels }) => void channels.delete(id)),
    when('50001 missing access', barred, (channel) => void Object.assign(channel, { canView: false })),
    when('50013 missing permission', barred, (channel) => void Object.assign(channel, { canSend: false })),
    when(
      '50007 a person who takes no messages',
      barred,
      (channel) => void Object.assign(channel, { canSend: false, type: 1 }),
    ),
    when(
      '50083 a thread archived and locked',
      barred,
      (channel) => void Object.assign(channel, { archived: true, locked: true }),
    ),
  ],
} satisfies NotifierFixture;
