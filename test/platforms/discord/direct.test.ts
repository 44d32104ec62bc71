import { describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { type DeliveryError, UserError } from '#src/language/errors.ts';
import { type WallClock, wallClock } from '#src/runtime/clock.ts';
import { embedOf, platformFixture, readyFixture, until, userId } from '#test/support/discord/platform.ts';

/** The platform over the commands, whose posts go through the real notifier. */
async function fixture() {
  const f: Awaited<ReturnType<typeof readyFixture>> = await readyFixture({
    context: {
      tryPost: (receiver, { title }) =>
        f
          .post(receiver, { card: { title: String(title) }, signal: new AbortController().signal })
          .catch((error: DeliveryError) => {
            throw new UserError(error.text);
          }),
    },
  });
  const direct = () => [...f.discord.channels.values()].find(({ name }) => name === `dm-${userId}`);
  const followed = () =>
    f.context.store.subscriptions.of({ notifier: 'discord', address: { channelId: direct()?.id ?? '' } });
  return { ...f, direct, followed };
}

describe('a member who follows a market', () => {
  it('gets its alerts as direct messages, and the server is not changed', async () => {
    await using f = await fixture();
    const answered = await f.slash('follow', { symbols: 'btc eth' }, { manages: false });
    expect(answered).toMatchObject({ ephemeral: true });
    expect(embedOf(answered)?.title).toBe('You follow BTC, ETH');
    expect(f.direct()?.messages).toHaveLength(1);
    expect(await f.followed()).toMatchObject([{ symbols: ['BTCUSDT'] }, { symbols: ['ETHUSDT'] }]);
    const again = await f.slash('unfollow', { symbols: 'btc' }, { manages: false });
    expect(embedOf(again)?.title).toBe('You no longer follow BTC');
    expect(await f.followed()).toMatchObject([{ symbols: ['ETHUSDT'] }]);
    const none = await f.slash('unfollow', { symbols: 'sol' }, { manages: false });
    expect(embedOf(none)?.description).toContain('You do not follow SOL');
  });

  it('is told so if no direct message of the bot arrives, and nothing is saved', async () => {
    await using f = await fixture();
    await f.slash('unfollow', { symbols: 'btc' });
    const channel = f.direct();
    if (channel === undefined) throw new Error('no direct channel was opened');
    channel.canSend = false;
    const answered = await f.slash('follow', { symbols: 'btc' }, { manages: false });
    expect(embedOf(answered)?.description).toContain('they must allow direct messages');
    expect(await f.followed()).toEqual([]);
  });
});

describe('the activity', () => {
  it('is the answer to a question with its source, set again only when it changed', async () => {
    const titles = ['BTC 64,000', 'BTC 64,000', 'BTC 65,000'];
    const asked: unknown[] = [];
    // Between two looks no time passes, and after the last of them the clock stands.
    const wall: WallClock = {
      ...wallClock,
      sleep: (ms, signal) =>
        wallClock.sleep(ms !== 20_000 ? ms : asked.length < titles.length ? 5 : ms, signal),
    };
    await using f = await platformFixture({
      options: { presence: 'ticker btc' },
      ports: { wall },
      async ask(request, { rights }): Promise<Card<string>> {
        asked.push([request, rights.has('own')]);
        return { title: titles[asked.length - 1] ?? 'BTC 65,000', source: 'simulated, 240 ×' };
      },
    });
    const { activities } = f.discord.gateway.seen;
    await until(() => activities.length === 2);
    expect(activities.flat().map(({ name }) => name)).toEqual([
      'BTC 64,000 · simulated, 240 ×',
      'BTC 65,000 · simulated, 240 ×',
    ]);
    expect(asked[0]).toEqual(['ticker btc', false]);
  });
});
