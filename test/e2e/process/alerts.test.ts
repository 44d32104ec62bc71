import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dataBlind } from '#src/alert/alert.ts';
import { ownRule } from '#src/alert/rule.ts';
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
  'cvd-divergence': { maxSymbols: 1, minUsd: 0, confirm: 1, calm: 1 },
  'data-quality': { confirm: 1 },
  'fear-greed': { confirm: 1, calm: 1 },
  'funding-flip': { confirm: 1, stood: 1 },
  'liquidation-burst': { window: '5m', minHistory: 1 },
  'liquidation-cascade': { window: '5m', minHistory: 1 },
  listing: { settle: '8h' },
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
  delivery: { budget: null },
  data: { budget: { limit: 100_000 } },
  rules: { schedule: '*/30 * * * * *' },
  // About as long as it takes to subscribe to them all.
  blind: { atLeast: '8s' },
  detectors: Object.fromEntries(
    detectors.map(({ name }) => [
      name,
      { enabled: true, schedule: '*/30 * * * * *', options: hasty[name] ?? {} },
    ]),
  ),
};

/** A busy machine may blind others too, which is told in their places: not what is looked for there. */
const blindText = /No data for/;

it('an alert of each kind, own ones among them, arrives in both chats, rich where that is chosen, and is edited when it ends', async () => {
  await using market = await startScriptedMarket();
  await using bot = await startBotProcess({ hosted: market, config });
  const { discord, telegram, guild } = bot;
  const inDiscord = discordPeople(bot);
  const inTelegram = telegramPeople(bot);
  const kinds = [...detectors.map(({ name }) => name), ownRule];
  const placeOf = async (kind: string) => {
    const channel = discord.addChannel({ guild_id: guild.id, name: kind });
    const [path, input] =
      kind === ownRule
        ? [['alert', 'create'] as const, { metric: 'fearGreed.value', below: '20' }]
        : [['subscribe'] as const, { kinds: kind }];
    await inDiscord.slash({ path, options: [] }, input, { channelId: channel.id });
    const line = kind === ownRule ? '/alert create fearGreed.value below=20' : `/subscribe ${kind}`;
    const first = await inTelegram.say(line);
    const { chat } = first;
    // The bot tries first whether it may post there.
    await until(`subscribed to ${kind}`, () =>
      telegram.texts(chat.id).some((text) => /Subscribed|fearGreed/.test(text)),
    );
    // Of some chats in Telegram the messages are rich.
    const rich = kinds.indexOf(kind) % 8 === 0;
    const chosen = rich ? await inTelegram.say('/settings messages=rich', chat) : undefined;
    return {
      kind,
      /** Alerts of the chat in Telegram that are not written as it has chosen. */
      otherwise: () =>
        telegram.messages
          .slice(telegram.messages.indexOf(chosen ?? first) + 1)
          .filter((message) => message.chat === chat && (message.rich !== undefined) !== rich)
          .map(({ text }) => text),
      messages: () =>
        [
          channel.messages.map(({ edited_timestamp: edited, embeds }) => ({
            edited: edited !== null,
            text: JSON.stringify(embeds),
          })),
          telegram.messages
            .filter((message) => message.chat === chat)
            .map(({ edits, text }) => ({ edited: edits > 0, text })),
        ].map((all) => all.filter(({ text }) => (kind === dataBlind) === blindText.test(text))),
    };
  };
  const blind = await placeOf(dataBlind);
  // One detector's alone: the others go on meanwhile.
  market.fail(['/spread']);
  const places = await each(kinds, placeOf);
  type Shown = ReturnType<(typeof blind)['messages']>[number];
  /** Messages that each place had at each midnight. */
  const midnights: number[][][] = [];
  const midnight = () => {
    midnights.push(places.map(({ messages }) => messages().map(({ length }) => length)));
    market.nextDay();
  };
  /** Kinds of which not every place shows what is wanted: of the messages of Thursday, and of all since. */
  const missing = (wanted: (ofThursday: Shown, since: Shown) => boolean): string[] =>
    places.flatMap(({ kind, messages }, at) => {
      const [from, to] = midnights.map((counts) => counts[at]);
      const right = messages().map((all, place) => {
        const since = all.slice(from?.[place]);
        const ofThursday = all.slice(from?.[place], to?.[place]);
        return ofThursday.length > 0 && wanted(ofThursday, since);
      });
      return right.every(Boolean) ? [] : [kind];
    });
  /** Lets hours go by, each detector looking at each of them, until nothing is missing. */
  const hours = async (what: string, left: () => readonly string[]) => {
    for (let hour = 0; hour < 20; hour += 1) {
      const from = market.now();
      await until(`${what}: a look of each detector`, async () => (await bot.looked()) >= from);
      // What is told late on a busy machine would find a market that is hours further.
      await until(`${what}: what is told is sent`, async () => (await bot.waiting()) === 0);
      if (left().length === 0) return;
      market.nextHour();
    }
    throw new Error(`not in 20 hours: ${what} of ${left()}`);
  };

  const ofBlindness = (wanted: (of: Shown[number]) => boolean) => () =>
    blind.messages().every((all) => all.some((one) => one.text.includes('wide-spread') && wanted(one)));
  await until(
    'that a detector is blind',
    ofBlindness(({ edited }) => !edited),
  );
  market.fail([]);
  await until(
    'that it sees again',
    ofBlindness(({ edited, text }) => edited && /resolved/i.test(text)),
  );

  // The hours before midnight are what they take for usual.
  const usual = market.now() + 2 * hour;
  await hours('what is usual', () => (market.now() > usual ? [] : kinds));
  midnight();
  await hours('an alert', () => missing(() => true));
  midnight();
  // Of several messages of one group the last shows the end, to which those before it point.
  const over = (ofThursday: Shown, since: Shown) =>
    ofThursday.every(({ edited }) => edited) && since.some(({ text }) => /resolved/i.test(text));
  await hours('the end', () => missing(over));
  for (const { kind, otherwise } of places) expect(otherwise(), kind).toEqual([]);
  expect(bot.defects()).toEqual([]);
});
