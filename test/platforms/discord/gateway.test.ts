import { describe, expect, it } from 'vitest';
import { plainReader, say } from '#src/language/say.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { Secret } from '#src/runtime/secret.ts';
import { type Discord, startDiscord } from '#test/support/discord/discord.ts';
import { platformFixture, readyFixture, until } from '#test/support/discord/platform.ts';

describe('the gateway', () => {
  it('may close the connection: the session is resumed, and missed commands are answered', async () => {
    await using f = await readyFixture();
    f.discord.gateway.hangUp(4000);
    const answered = await f.slash('market');
    expect(answered.message.embeds).toHaveLength(1);
    expect(f.discord.gateway.seen).toMatchObject({ identified: 1, resumed: 1 });
  });

  it('may ask for a reconnect, after which the session is resumed', async () => {
    await using f = await readyFixture();
    f.discord.gateway.reconnect();
    await until(() => f.discord.gateway.seen.resumed === 1);
    expect((await f.slash('market')).message.embeds).toHaveLength(1);
  });

  it('may forget the session, after which a new one begins', async () => {
    await using f = await readyFixture();
    f.discord.gateway.forget();
    f.discord.gateway.hangUp(4000);
    await until(() => f.discord.gateway.seen.identified === 2);
    expect((await f.slash('market')).message.embeds).toHaveLength(1);
  });

  it('receives heartbeats', async () => {
    await using f = await readyFixture({ double: { heartbeat: 40 } });
    await until(() => f.discord.gateway.seen.heartbeats >= 2);
  });

  it('may ask for more shards than it recommended: where their number is automatic, they are opened', async () => {
    await using f = await readyFixture();
    f.discord.gateway.requireShards(3);
    await until(() => f.discord.gateway.seen.shards.length === 4);
    expect(f.discord.gateway.seen.shards.slice(1).toSorted()).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
    expect((await f.slash('market')).message.embeds).toHaveLength(1);
  });

  it.each([
    ['closes with 4004', (discord: Discord) => discord.gateway.refuseNext(4004)],
    ['closes with 4014', (discord: Discord) => discord.gateway.refuseNext(4014)],
    [
      'refuses the token by HTTP',
      (discord: Discord) =>
        discord.inject({ answer: { status: 401, body: { message: '401: Unauthorized', code: 0 } } }),
    ],
  ])('is asked again after a minute if it %s once, and it is said that this is over', async (_, refuse) => {
    const discord = await startDiscord();
    refuse(discord);
    const reports: string[] = [];
    const pauses: number[] = [];
    await using f = await platformFixture({
      discord,
      ports: {
        reportTokenRefused: () => void reports.push('refused'),
        reportTokenAccepted: () => void reports.push('accepted'),
        wall: {
          ...wallClock,
          sleep(ms, signal) {
            // A client gets its time to close.
            if (ms > 5_000) pauses.push(ms);
            return wallClock.sleep(ms > 5_000 ? 1 : ms, signal);
          },
        },
      },
    });
    await until(() => reports.length === 2);
    expect(reports).toEqual(['refused', 'accepted']);
    expect(pauses).toEqual([60_000]);
    expect((await f.slash('market')).message.embeds).toHaveLength(1);
  });

  it.each([
    [4004, /DISCORD_TOKEN/],
    [4014, /does not grant the intents/],
  ])('closing with %i is no verdict, and the remedy is reported once', async (code, remedy) => {
    const discord = await startDiscord();
    discord.gateway.refuseNext(code);
    const refusals: string[] = [];
    await using f = await platformFixture({
      discord,
      ports: { reportTokenRefused: (reason) => void refusals.push(say(reason, plainReader)) },
    });
    expect(await f.platform.ready).toBe(false);
    expect(refusals).toEqual([expect.stringMatching(remedy)]);
    expect(discord.gateway.seen.identified).toBe(1);
  });

  it('is not contacted again at once after it refused the token', async () => {
    const refusals: string[] = [];
    await using f = await platformFixture({
      options: { token: new Secret('bm8gYm90.no.such-token-anywhere') },
      ports: { reportTokenRefused: (reason) => void refusals.push(say(reason, plainReader)) },
    });
    expect(await f.platform.ready).toBe(false);
    expect(refusals).toEqual([expect.stringContaining('DISCORD_TOKEN')]);
    expect(f.discord.requests.map(({ status }) => status)).toEqual([401]);
    expect(f.logged.join('')).not.toContain('such-token-anywhere');
  });

  it('gets as many shards as Discord recommends', async () => {
    await using f = await readyFixture({ double: { shards: 2 } });
    expect(f.discord.gateway.seen.shards.toSorted()).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });

  it('gets only the shards assigned to this process', async () => {
    await using f = await readyFixture({ options: { shards: { ids: [1], count: 2 } } });
    expect(f.discord.gateway.seen.shards).toEqual([[1, 2]]);
    expect(f.discord.commands.puts).toBe(0);
  });
});
