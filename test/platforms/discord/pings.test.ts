import { describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { type Asking, readyFixture, textOf, until, userId } from '#test/support/discord/platform.ts';

const manageRoles = String(2 ** 28);

async function fixture({ bot = { permissions: manageRoles, above: 2 }, permissions = '0' } = {}) {
  const discord = await startDiscord({ patience: 60_000 });
  const { guild } = discord.addGuild();
  guild.bot = bot;
  const [role] = guild.roles;
  if (role === undefined) throw new Error('the guild has roles');
  role.permissions = permissions;
  const posted: Card[] = [];
  const f = await readyFixture({
    discord,
    context: { tryPost: async (_, card) => void (card.actions && posted.push(card)) },
  });
  // Until the guild is there, an interaction comes from a server that the bot does not know.
  await until(() => f.channel.messages.length > 0);
  const custom_id = `c:ping ${role.id}`;
  const message = { author: discord.application, components: [{ type: 1, components: [button(custom_id)] }] };
  const has = () => guild.members.get(userId)?.has(role.id) === true;
  const press = (at: Partial<Asking> = {}) =>
    f.press(custom_id, { manages: false, message, roles: has() ? [role.id] : [], ...at });
  return { ...f, role, posted, has, pressRole: press, message };
}
const button = (custom_id: string) => ({ type: 2, id: 1, style: 2, label: 'traders', custom_id });

describe('the buttons by which members choose their pings', () => {
  it('are posted by name for the roles that subscriptions mention, by who may give them', async () => {
    await using f = await fixture();
    await f.slash('subscribe', { mention: { role: f.role.id } });
    const refused = await f.slash('pings');
    expect(textOf(refused)).toContain('Only members who may themselves give the role');
    expect(f.posted).toEqual([]);
    const owner = f.guild.owner_id;
    expect(textOf(await f.slash('pings', {}, { userId: owner }))).toContain('Posted');
    expect(f.posted).toMatchObject([{ actions: [{ label: 'traders', command: `ping ${f.role.id}` }] }]);
    expect(await f.slash('pings', {}, { manages: false })).toMatchObject({ ephemeral: true });
    expect(f.posted).toHaveLength(1);
  });

  it('give the role and take it away, and tell the member alone', async () => {
    await using f = await fixture();
    const given = await f.pressRole();
    expect(given).toMatchObject({ ephemeral: true });
    expect([textOf(given), f.has()]).toEqual([expect.stringContaining('You have the role traders'), true]);
    const taken = await f.pressRole();
    expect([textOf(taken), f.has()]).toEqual([expect.stringContaining('You no longer have'), false]);
  });

  it.each([
    ['without the right to manage roles', { bot: { permissions: '0', above: 2 } }, 'lacks the permission'],
    ['below the role', { bot: { permissions: manageRoles, above: 0 } }, 'stands above the bot’s'],
    ['with a role that gives rights', { permissions: String(2 ** 13) }, 'gives permissions'],
  ])('say what is in the way of a bot %s', async (_what, given, why) => {
    await using f = await fixture(given);
    expect(textOf(await f.pressRole())).toContain(why);
    expect(f.has()).toBe(false);
  });

  it('say so of a role that was deleted, and of a right that was lost unseen', async () => {
    await using f = await fixture();
    f.guild.bot = { permissions: '0', above: 2 };
    expect(textOf(await f.pressRole())).toContain('lacks the permission');
    f.guild.roles.splice(0);
    expect(textOf(await f.pressRole())).toContain('no longer exists');
  });

  it('are the only way: no typed command, no message of others and no other role', async () => {
    await using f = await fixture();
    const typed = await f.slash('ping', { role: f.role.id }, { manages: false });
    expect(textOf(typed)).toContain('Press its button');
    const foreign = await f.pressRole({ message: { ...f.message, author: userId } });
    expect(textOf(foreign)).toContain('Press its button');
    const forged = await f.pressRole({ message: { ...f.message, components: [] } });
    expect(textOf(forged)).toContain('Press its button');
    expect(f.has()).toBe(false);
  });
});
