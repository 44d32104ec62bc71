import { describe, expect, it } from 'vitest';
import type { CommandContext } from '#src/shell/command.ts';
import type { Answered } from '#test/support/discord/interactions.ts';
import { embedOf, readyFixture } from '#test/support/discord/platform.ts';

const day = 86_400_000;
const preview: CommandContext['preview'] = async () => ({
  state: 'known',
  from: 0,
  to: 30 * day,
  source: 'replayed',
  alerts: [],
  posts: 60,
  presets: [
    { name: 'quiet', posts: 6 },
    { name: 'standard', posts: 60 },
    { name: 'everything', posts: 900 },
  ],
  partly: [],
  selective: [],
});

async function fixture() {
  const f = await readyFixture({ context: { preview } });
  const subscribed = (channelId: string) =>
    f.context.store.subscriptions.of({ notifier: 'discord', address: { channelId, guildId: f.guild.id } });
  return { ...f, subscribed };
}

interface Control {
  readonly custom_id?: string;
  readonly label?: string;
  readonly placeholder?: string;
  readonly type: number;
}
const textsOf = ({ message }: Answered) => (message.texts ?? []).join('\n');
const controlsOf = ({ message }: Answered): Control[] =>
  (message.components ?? []).flatMap(({ components }) => components as readonly Control[]);
const idOf = (answered: Answered, name: string): string => {
  const found = controlsOf(answered).find(({ label, placeholder }) => (label ?? placeholder) === name);
  if (found?.custom_id === undefined) throw new Error(`no ${name}`);
  return found.custom_id;
};

describe('the panel', () => {
  it('shows three choices by name with their posts, to its asker alone', async () => {
    await using f = await fixture();
    const panel = await f.slash('setup');
    expect(panel).toMatchObject({ ephemeral: true });
    const text = textsOf(panel);
    expect(text).toMatch(/Few.*about 1 a week/);
    expect(text).toMatch(/Standard.*about 2 a day/);
    expect(text).toMatch(/Everything.*about 30 a day/);
    expect(controlsOf(panel).map(({ label, placeholder }) => label ?? placeholder)).toEqual([
      'Few',
      'Standard',
      'Everything',
      'Another channel …',
    ]);
  });

  it('leads from the channel over the preset to the role, each step in the same message', async () => {
    await using f = await fixture();
    const alerts = f.discord.addChannel({ guild_id: f.guild.id, name: 'alerts' });
    const [traders] = f.guild.roles;
    const first = await f.slash('setup');
    const there = await f.chooseChannel(idOf(first, 'Another channel …'), alerts);
    expect(textsOf(there)).toContain('alerts: Set up alerts');
    f.discord.gateway.dispatch('CHANNEL_CREATE', { ...alerts, guild_id: f.guild.id });
    const subscribed = await f.press(idOf(there, 'Standard'));
    expect(textsOf(subscribed)).toContain('✓ Standard');
    expect(await f.subscribed(alerts.id)).toMatchObject([{ minSeverity: 'warning', mention: null }]);
    expect(await f.subscribed(f.channel.id)).toEqual([]);
    const role = await f.chooseRole(idOf(subscribed, 'Role to mention …'), traders?.id);
    expect(await f.subscribed(alerts.id)).toMatchObject([{ mention: traders?.id }]);
    expect(controlsOf(role)).toContainEqual(
      expect.objectContaining({ type: 6, default_values: [{ id: traders?.id, type: 'role' }] }),
    );
    const quiet = await f.press(idOf(role, 'Few'));
    expect(textsOf(quiet)).toContain('✓ Few');
    expect(await f.subscribed(alerts.id)).toMatchObject([
      { kinds: ['regime-transition'], minSeverity: 'critical', mention: traders?.id },
    ]);
    await f.chooseRole(idOf(quiet, 'Role to mention …'), undefined);
    expect(await f.subscribed(alerts.id)).toMatchObject([{ mention: null }]);
  });

  it('changes a subscription that there is, by its id, and keeps its markets', async () => {
    await using f = await fixture();
    await f.slash('subscribe', { kinds: 'funding-extreme', symbols: 'btc' });
    const [{ id = '' } = {}] = await f.subscribed(f.channel.id);
    const panel = await f.slash('setup', { id });
    expect(textsOf(panel)).not.toContain('✓');
    await f.press(idOf(panel, 'Everything'));
    expect(await f.subscribed(f.channel.id)).toMatchObject([
      { id, symbols: ['BTCUSDT'], minSeverity: 'info' },
    ]);
  });

  it('refuses a member whose right was taken away, and nothing is changed', async () => {
    await using f = await fixture();
    const panel = await f.slash('setup');
    const refused = await f.press(idOf(panel, 'Standard'), { manages: false });
    expect(refused.ephemeral).toBe(true);
    expect(embedOf(refused)?.description).toContain('only those who manage it may');
    expect(await f.subscribed(f.channel.id)).toEqual([]);
  });

  it.each([
    ['a deleted channel', '999999999999999999'],
    ['a channel of another server', undefined],
  ])('acts in no place that is not of its server: %s', async (_what, id) => {
    await using f = await fixture();
    const channelId = id ?? f.discord.addGuild('Another').channel.id;
    const refused = await f.press(`c:@${channelId} setup preset=standard`);
    expect(embedOf(refused)?.title).toContain('no longer exists');
    expect(f.asked).toEqual([]);
  });

  it('says so of a role that was deleted or may not be mentioned, and goes on', async () => {
    await using f = await fixture();
    const panel = await f.press(idOf(await f.slash('setup'), 'Standard'));
    for (const role of ['888888888888888888', f.guild.roles[1]?.id]) {
      const refused = await f.chooseRole(idOf(panel, 'Role to mention …'), role);
      expect(embedOf(refused)?.description).toContain('That role cannot be mentioned');
    }
    expect(await f.subscribed(f.channel.id)).toMatchObject([{ mention: null }]);
  });

  it('in a direct message has neither channels nor roles', async () => {
    await using f = await fixture();
    const dm = f.discord.addChannel({ type: 1 });
    const panel = await f.slash('setup', {}, { channelId: dm.id, guildId: undefined });
    expect(controlsOf(panel).map(({ type }) => type)).toEqual([2, 2, 2]);
  });
});
