import { describe, expect, it } from 'vitest';
import { imageOf } from '#src/shell/attached-file.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { readyFixture, textOf, until } from '#test/support/discord/platform.ts';

const mayRename = { permissions: String(2 ** 26), above: 1 };
const gif = { name: 'logo.txt', text: 'GIF89a and its pixels' };
const picture = { file: gif };
const uri = `data:image/gif;base64,${Buffer.from(gif.text).toString('base64')}`;

async function fixture(bot = mayRename) {
  const discord = await startDiscord({ patience: 60_000 });
  const { guild } = discord.addGuild();
  guild.bot = bot;
  const f = await readyFixture({ discord });
  // Until the guild is there, an interaction comes from a server that the bot does not know.
  await until(() => f.channel.messages.length > 0);
  return f;
}

describe('the bot’s name and picture in one server', () => {
  it('are changed together or alone by who manages it, and reset', async () => {
    await using f = await fixture();
    expect(textOf(await f.slash('profile', { name: 'Market bell', picture }))).toContain('Name: Market bell');
    expect(f.guild.looks).toEqual({ nick: 'Market bell', avatar: uri });
    await f.slash('profile', { name: 'Bell' });
    expect(f.guild.looks).toEqual({ nick: 'Bell', avatar: uri });
    expect(textOf(await f.slash('profile', { reset: 'yes' }))).toContain('as everywhere');
    expect(f.guild.looks).toEqual({ nick: null, avatar: null });
  });

  it('are not changed by other members', async () => {
    await using f = await fixture();
    expect(await f.slash('profile', { name: 'Mine' }, { manages: false })).toMatchObject({ ephemeral: true });
    expect(f.guild.looks).toBeUndefined();
  });

  it('a picture needs no right of the bot; a name needs "Change Nickname", and that is said', async () => {
    await using f = await fixture({ permissions: '0', above: 1 });
    expect(textOf(await f.slash('profile', { name: 'Bell' }))).toContain('Change Nickname');
    await f.slash('profile', { picture });
    expect(f.guild.looks).toEqual({ avatar: uri });
  });

  it('what Discord refuses is said in its own words', async () => {
    await using f = await fixture();
    const message = 'You are changing your avatar too fast. Try again later.';
    const errors = { avatar: { _errors: [{ code: 'AVATAR_RATE_LIMIT', message }] } };
    f.discord.inject({
      only: ({ method }) => method === 'PATCH',
      answer: { status: 400, body: { code: 50035, message: 'Invalid Form Body', errors } },
    });
    expect(textOf(await f.slash('profile', { picture }))).toContain(message);
  });

  it.each([
    [
      'a text that is called a picture',
      { picture: { file: { name: 'logo.png', text: 'PNG' } } },
      'no picture',
    ],
    [
      'a picture that is too large',
      { picture: { file: { name: 'a.gif', text: `GIF89a${'x'.repeat(1_000_000)}` } } },
      'may have',
    ],
    ['a name that is too long', { name: 'x'.repeat(33) }, '32'],
    ['nothing', {}, 'Give a name'],
  ])('%s is refused', async (_, given, why) => {
    await using f = await fixture();
    expect(textOf(await f.slash('profile', given))).toContain(why);
    expect(f.guild.looks).toBeUndefined();
  });
});

it.each([
  ['png', Buffer.from('89504e470d0a1a0a00', 'hex')],
  ['jpeg', Buffer.from('ffd8ffe0', 'hex')],
  ['gif', Buffer.from('GIF87a')],
])('a picture is a %s by its first bytes', async (type, bytes) => {
  const read = imageOf({ size: bytes.length, read: async () => bytes }, new AbortController().signal);
  expect(await read).toBe(`data:image/${type};base64,${bytes.toString('base64')}`);
});
