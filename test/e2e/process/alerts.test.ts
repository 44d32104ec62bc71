import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Detector } from '#src/detectors/detector.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { hour } from '#src/runtime/units.ts';
import { discordPeople, each, telegramPeople, until } from './asking.ts';
import { startBotProcess } from './bot.ts';
import { startScriptedMarket } from './scripted-market.ts';

const detectors = await loadPlugins<Detector>(
  join(import.meta.dirname, '../../../src/detectors'),
  'detector.ts',
);

/** What they wait for at their defaults would take days: so each is told at its first sight of it. */
const hasty: Readonly<Record<string, object>> = {
  'basis-flip': { maxSymbols: 1, window: '30m', confirm: 1 },
  'cvd-divergence': { maxSymbols: 1, confirm: 1, calm: 1 },
  'data-quality': { confirm: 1 },
  'fear-greed': { confirm: 1, calm: 1 },
  'funding-flip': { confirm: 1, stood: 1 },
  'liquidation-burst': { window: '5m', minHistory: 1 },
  'liquidation-cascade': { window: '5m', minHistory: 1 },
  'macro-break': { confirm: 1, calm: 1 },
  'max-pain': { enter: 2, confirm: 1 },
  'oi-momentum': { maxSymbols: 1, calm: 1 },
  'options-flip': { confirm: 1 },
  'price-level': { confirm: 1 },
  'price-move': { '1h': { factor: 1.1 }, confirm: 1, minHistory: 1 },
  'ratio-extreme': { maxSymbols: 1, confirm: 1, calm: 1 },
  'volatility-regime': { confirm: '1m' },
  'wide-spread': { maxSymbols: 1, confirm: 1, calm: 1 },
};

const config = {
  // None holds another back: each is to be seen.
  inhibit: [],
  data: { budget: { limit: 100_000 } },
  detectors: Object.fromEntries(
    detectors.map(({ name }) => [
      name,
      { enabled: true, schedule: '*/30 * * * * *', options: hasty[name] ?? {} },
    ]),
  ),
};

it('an alert of each kind arrives in both chats, and its own message is edited when it ends', async () => {
  await using market = await startScriptedMarket();
  await using bot = await startBotProcess({ hosted: market, config });
  const { discord, telegram, guild } = bot;
  const inDiscord = discordPeople(bot);
  const inTelegram = telegramPeople(bot);
  const kinds = detectors.map(({ name }) => name);
  const places = await each(kinds, async (kind) => {
    const channel = discord.addChannel({ guild_id: guild.id, name: kind });
    const subscribe = { path: ['subscribe'], options: [] } as const;
    await inDiscord.slash(subscribe, { kinds: kind }, { channelId: channel.id });
    const { chat } = await inTelegram.say(`/subscribe ${kind}`);
    // The bot tries first whether it may post there.
    await until(`subscribed to ${kind}`, () =>
      telegram.texts(chat.id).some((text) => text.includes('Subscribed')),
    );
    return {
      kind,
      messages: () => [
        channel.messages.map(({ edited_timestamp: edited, embeds }) => ({
          edited: edited !== null,
          text: JSON.stringify(embeds),
        })),
        telegram.messages
          .filter((message) => message.chat === chat)
          .map(({ edits, text }) => ({ edited: edits > 0, text })),
      ],
    };
  });
  const said = new Map<string, readonly number[]>();
  /** Kinds whose first alert, in one of their places, is not yet as it should be. */
  const missing = (wanted: (alert: { edited: boolean; text: string }) => boolean) =>
    places.flatMap(({ kind, messages }) => {
      const alerts = messages().map((all, place) => all[said.get(kind)?.[place] ?? 0]);
      return alerts.every((alert) => alert !== undefined && wanted(alert)) ? [] : [kind];
    });
  /** Lets hours go by, each detector looking at each of them, until nothing is missing. */
  const hours = async (what: string, left: () => readonly string[]) => {
    for (let hour = 0; hour < 20; hour += 1) {
      const from = market.now();
      await until(`${what}: a look of each detector`, async () => (await bot.looked()) >= from);
      if (left().length === 0) return;
      market.nextHour();
    }
    throw new Error(`not in 20 hours: ${what} of ${left()}`);
  };

  // The hours before midnight are what they take for usual.
  const usual = market.now() + 2 * hour;
  await hours('what is usual', () => (market.now() > usual ? [] : kinds));
  for (const { kind, messages } of places)
    said.set(
      kind,
      messages().map(({ length }) => length),
    );
  market.nextDay();
  await hours('an alert', () => missing(() => true));
  market.nextDay();
  await hours('the end', () => missing(({ edited, text }) => edited && /resolved/i.test(text)));
  expect(bot.defects()).toEqual([]);
}, 180_000);
