import { expect, it } from 'vitest';
import { dataBlind } from '#src/alert/alert.ts';
import { ownRule } from '#src/alert/rule.ts';
import { hour } from '#src/runtime/units.ts';
import { detectors } from '#test/support/detectors.ts';
import { discordPeople, each, telegramPeople, until } from './asking.ts';
import { startBotProcess } from './bot.ts';
import { startScriptedMarket } from './scripted-market.ts';

/** With default options the detectors would wait for days; with these each sends an alert at its first look. */
const hasty: Readonly<Record<string, object>> = {
  'basis-flip': { maxSymbols: 1, window: '30m', confirm: 1 },
  'cvd-divergence': { maxSymbols: 1, minUsd: 0, confirm: 1, calm: 1 },
  'data-quality': { confirm: 1 },
  'fear-greed': { confirm: 1, calm: 1 },
  'funding-flip': { confirm: 1, stood: 1 },
  'liquidation-burst': { window: '5m', minHistory: 1 },
  'liquidation-cascade': { window: '5m', minHistory: 1 },
  'liquidation-level': { maxSymbols: 1, confirm: 1, calm: 1 },
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
  // No alert inhibits another, because each must be seen.
  inhibit: [],
  delivery: { budget: null },
  data: { budget: { limit: 100_000 } },
  rules: { schedule: '*/30 * * * * *' },
  // About as long as subscribing to all kinds takes.
  blind: { atLeast: '8s' },
  detectors: Object.fromEntries(
    detectors.map(({ name }) => [
      name,
      { enabled: true, schedule: '*/30 * * * * *', options: hasty[name] ?? {} },
    ]),
  ),
};

/** Wall ms between two requests for the bot's status, which it computes anew each time. */
const look = 150;

/** On a slow machine other detectors may become blind too; messages about that are left out where they are not expected. */
const blindText = /alerts paused: no data|Data is back/;

it('an alert of each kind arrives in both chats, rich where chosen, and is edited when it ends', async () => {
  await using market = await startScriptedMarket();
  await using bot = await startBotProcess({ hosted: market, config, sleeps: true });
  const { discord, telegram, guild, program } = bot;
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
    // The bot first tries whether it may post in the chat.
    await until(`subscribed to ${kind}`, () =>
      telegram.texts(chat.id).some((text) => /Subscribed|fearGreed/.test(text)),
    );
    // Some chats in Telegram choose rich messages.
    const rich = kinds.indexOf(kind) % 8 === 0;
    const chosen = rich ? await inTelegram.say('/settings messages=rich', chat) : undefined;
    return {
      kind,
      /** Returns the alerts of the chat in Telegram that do not have the chosen format. */
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
  // Only one detector becomes blind; the others go on.
  market.fail(['/spread']);
  const places = await each(kinds, placeOf);
  type Shown = ReturnType<(typeof blind)['messages']>[number];
  /** Number of messages that each place had, at each midnight. */
  const midnights: number[][][] = [];
  const midnight = async () => {
    midnights.push(places.map(({ messages }) => messages().map(({ length }) => length)));
    await market.nextDay(program);
  };
  /** Returns the kinds that lack the wanted message in some place. `wanted` gets Thursday's messages, and all since then. */
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
  /** Lets hours pass, with a look of each detector in each of them, until nothing is missing. */
  const hours = async (what: string, left: () => readonly string[]) => {
    for (let hour = 0; hour < 20; hour += 1) {
      const from = market.now();
      await until(`${what}: a look of each detector`, async () => (await bot.looked()) >= from, look);
      // A message that is sent late on a slow machine would be about a market that has moved on by hours.
      await until(`${what}: what is told is sent`, async () => (await bot.waiting()) === 0, look);
      if (left().length === 0) return;
      await market.nextHour(program);
    }
    throw new Error(`not in 20 hours: ${what} of ${left()}`);
  };

  const ofBlindness = (wanted: (of: Shown[number]) => boolean) => () =>
    blind.messages().every((all) => all.some((one) => one.text.includes('Wide spread') && wanted(one)));
  await until(
    'that a detector is blind',
    ofBlindness(({ edited }) => !edited),
  );
  market.fail([]);
  await until(
    'that it sees again',
    ofBlindness(({ edited, text }) => edited && /Data is back/.test(text)),
  );

  // The detectors take the hours before midnight as usual.
  const usual = market.now() + 2 * hour;
  await hours('what is usual', () => (market.now() > usual ? [] : kinds));
  await midnight();
  await hours('an alert', () => missing(() => true));
  await midnight();
  // If a group has several messages, the last one shows the end, and the earlier ones link to it.
  const over = (ofThursday: Shown, since: Shown) =>
    ofThursday.every(({ edited }) => edited) && since.some(({ text }) => /resolved/i.test(text));
  await hours('the end', () => missing(over));
  for (const { kind, otherwise } of places) expect(otherwise(), kind).toEqual([]);
  expect(bot.defects()).toEqual([]);
  for (const { token } of [discord, telegram]) expect(program.written()).not.toContain(token);
});
