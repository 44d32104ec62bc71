import { describe, expect, it, onTestFinished } from 'vitest';
import { openNotifier } from '#src/platforms/discord/notifier.ts';
import { options } from '#src/platforms/discord/options.ts';
import { managerRights, memberRights } from '#src/shell/rights.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { clientSecret } from '#test/support/discord/oauth.ts';
import { notifierPorts } from '#test/support/ports.ts';

const ann = { id: '80351110224678912', username: 'ann' };
const person = `discord:${ann.id}`;
const roleId = '900000000000000000';
const returnTo = 'https://tocsin.example/sign-in/discord';
const bit = (...at: number[]) => String(at.reduce((sum, each) => sum | (1n << BigInt(each)), 0n));
const [manageGuild, viewChannel, useCommands, administrator, manageThreads] = [5, 10, 31, 3, 34];

async function discord(given: { readonly clientSecret?: string } = { clientSecret }) {
  const double = await startDiscord({ redirects: [returnTo] });
  // Nothing here waits for that time: a busy machine may need much of it.
  const parsed = options.parse({ token: double.token, apiUrl: double.url, timeout: '2m', ...given });
  const { signIn, close } = openNotifier(parsed, notifierPorts());
  onTestFinished(async () => {
    await close?.();
    await double.close();
  });
  const begin = async (state = 's') => (await signIn?.start({ returnTo, state })) ?? '';
  const finish = (back: string, to = returnTo) =>
    signIn?.finish({ query: new URL(back).search, fragment: '', returnTo: to });
  return { ...double, signIn, begin, finish };
}

describe('signing in by Discord', () => {
  it('asks Discord for nothing but who it is, and comes back to this page alone', async () => {
    const { begin, application } = await discord();
    const { origin, pathname, searchParams } = new URL(await begin());
    expect(origin + pathname).toBe('https://discord.com/oauth2/authorize');
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: application,
      response_type: 'code',
      redirect_uri: returnTo,
      scope: 'identify',
      state: 's',
    });
  });

  it('tells who authorized it, by a code that is good once', async () => {
    const { begin, finish, authorize } = await discord();
    const back = authorize(await begin(), ann);
    expect(await finish(back)).toMatchObject({ person, name: person });
    expect(await finish(back)).toBeUndefined();
  });

  it.each([
    ['a made-up code', `${returnTo}?code=made-up&state=s`],
    ['no code, as where it was not authorized', `${returnTo}?error=access_denied&state=s`],
    ['a code that is too long', `${returnTo}?code=${'x'.repeat(300)}`],
  ])('proves nothing by %s', async (_, back) => {
    const { finish } = await discord();
    expect(await finish(back)).toBeUndefined();
  });

  it('proves nothing by a code of another redirect, or with another secret', async () => {
    const { begin, finish, authorize } = await discord();
    expect(await finish(authorize(await begin(), ann), 'https://evil.example/')).toBeUndefined();
    const other = await discord({ clientSecret: 'another' });
    expect(await other.finish(other.authorize(await other.begin(), ann))).toBeUndefined();
  });

  it('is not offered without the application’s secret', async () => {
    expect((await discord({})).signIn).toBeUndefined();
  });

  it('says so while Discord does not answer', async () => {
    const { begin, finish, inject, authorize } = await discord();
    const back = authorize(await begin(), ann);
    inject({ path: /oauth2/, answer: { status: 503, body: {} } } as never);
    await expect(finish(back)).rejects.toThrow('Discord does not answer');
  });
});

describe('what somebody may do in a channel', () => {
  type Guild = ReturnType<Awaited<ReturnType<typeof discord>>['addGuild']>;
  async function rightsIn(set: (made: Guild, join: (...roles: string[]) => void) => void) {
    const { signIn, addGuild } = await discord();
    const made = addGuild('Traders');
    set(made, (...roles) => made.guild.members.set(ann.id, new Set(roles)));
    const { guild, channel } = made;
    return (await signIn?.standing(person, { guildId: guild.id, channelId: channel.id }))?.rights;
  }
  const role = ({ guild }: Guild, permissions: string): string => {
    guild.roles.push({ id: roleId, name: 'r', mentionable: false, permissions });
    return roleId;
  };

  it.each<[string, Parameters<typeof rightsIn>[0], typeof memberRights | undefined]>([
    ['a member asks', (_, join) => join(), memberRights],
    ['a stranger may nothing', () => {}, undefined],
    ['who manages the server manages it', (at, join) => join(role(at, bit(manageGuild))), managerRights],
    ['an administrator manages it', (at, join) => join(role(at, bit(administrator))), managerRights],
    [
      'a role that one has not gives nothing',
      (at, join) => [join(), role(at, bit(manageGuild))],
      memberRights,
    ],
    [
      'who may not use commands may nothing',
      ({ guild }, join) => [join(), Object.assign(guild, { everyone: bit(viewChannel) })],
      undefined,
    ],
    [
      'who does not see the channel may nothing',
      ({ guild, channel }, join) => [
        join(),
        Object.assign(channel, { overwrites: [{ id: guild.id, allow: '0', deny: bit(viewChannel) }] }),
      ],
      undefined,
    ],
    [
      'nor does who manages the server',
      (at, join) => [
        join(role(at, bit(manageGuild))),
        Object.assign(at.channel, { overwrites: [{ id: at.guild.id, allow: '0', deny: bit(viewChannel) }] }),
      ],
      undefined,
    ],
    [
      'whom a role lets see it may ask',
      (at, join) => [
        join(role(at, '0')),
        Object.assign(at.channel, {
          overwrites: [
            { id: at.guild.id, allow: '0', deny: bit(viewChannel) },
            { id: roleId, allow: bit(viewChannel), deny: '0' },
          ],
        }),
      ],
      memberRights,
    ],
    [
      'whom it is denied himself may nothing',
      ({ channel }, join) => [
        join(),
        Object.assign(channel, { overwrites: [{ id: ann.id, allow: '0', deny: bit(useCommands) }] }),
      ],
      undefined,
    ],
    [
      'who was timed out may nothing',
      ({ guild }, join) => [
        join(),
        Object.assign(guild, { timeouts: new Map([[ann.id, '2999-01-01T00:00:00.000000+00:00']]) }),
      ],
      undefined,
    ],
    [
      'whose timeout is over asks again',
      ({ guild }, join) => [
        join(),
        Object.assign(guild, { timeouts: new Map([[ann.id, '2020-01-01T00:00:00.000000+00:00']]) }),
      ],
      memberRights,
    ],
  ])('%s', async (_, set, rights) => {
    expect(await rightsIn(set)).toEqual(rights);
  });

  it('its owner manages it', async () => {
    const { signIn, addGuild } = await discord();
    const { guild, channel } = addGuild('Traders');
    guild.members.set(guild.owner_id, new Set());
    const address = { guildId: guild.id, channelId: channel.id };
    expect(await signIn?.standing(`discord:${guild.owner_id}`, address)).toEqual({
      name: 'Traders · #general',
      rights: managerRights,
    });
  });

  it('is nothing in a channel of another server, nor in a thread of another channel', async () => {
    const { signIn, addGuild, addChannel } = await discord();
    const [mine, other] = [addGuild('Mine'), addGuild('Other')];
    mine.guild.members.set(ann.id, new Set());
    const thread = addChannel({ type: 11, guild_id: other.guild.id, parent_id: other.channel.id });
    const guildId = mine.guild.id;
    for (const address of [
      { guildId, channelId: other.channel.id },
      { guildId, channelId: mine.channel.id, threadId: thread.id },
    ])
      expect(await signIn?.standing(person, address)).toBeUndefined();
  });

  it('is nothing in a private thread, except for who manages threads', async () => {
    const { signIn, addGuild, addChannel } = await discord();
    const made = addGuild('Mine');
    const { guild, channel } = made;
    const thread = addChannel({ type: 12, guild_id: guild.id, parent_id: channel.id, name: 'secret' });
    const address = { guildId: guild.id, channelId: channel.id, threadId: thread.id };
    guild.members.set(ann.id, new Set());
    expect(await signIn?.standing(person, address)).toBeUndefined();
    guild.members.set(ann.id, new Set([role(made, bit(manageThreads))]));
    expect(await signIn?.standing(person, address)).toMatchObject({ rights: memberRights });
  });

  it('is everything in one’s own direct messages, and nothing in another’s', async () => {
    const { signIn, addChannel } = await discord();
    const [own, other] = [
      addChannel({ type: 1, name: `dm-${ann.id}` }),
      addChannel({ type: 1, name: 'dm-1' }),
    ];
    expect(await signIn?.standing(person, { channelId: own.id })).toMatchObject({ rights: managerRights });
    expect(await signIn?.standing(person, { channelId: other.id })).toBeUndefined();
  });
});
