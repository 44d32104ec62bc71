import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { menuId } from '#src/platforms/discord/render.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import { receiver } from '#test/platforms/receiver.ts';
import { startApprise } from '#test/support/apprise.ts';
import { commands } from '#test/support/commands.ts';
import type { Answered } from '#test/support/discord/interactions.ts';
import { startNtfy } from '#test/support/ntfy.ts';
import { discordPeople, each, picturesOf, telegramPeople, until } from './asking.ts';
import { type BotProcess, startBotProcess } from './bot.ts';
import {
  hostile,
  hostileInput,
  type Input,
  type Question,
  questionsOf,
  type SlashCommand,
  type SlashOption,
  typical,
} from './inputs.ts';

const operator = '600000000000000001';
const login = { user: 'tocsin', password: 'correct-horse-battery' };
const ntfyToken = 'tk_0123456789abcdefghij';
let hook: Awaited<ReturnType<typeof receiver>>;
let apprise: Awaited<ReturnType<typeof startApprise>>;
let ntfy: Awaited<ReturnType<typeof startNtfy>>;
let bot: BotProcess;
let discord: ReturnType<typeof discordPeople>;
let telegram: ReturnType<typeof telegramPeople>;
let questions: Question[];
const offers = new Map<string, string>();
const optionName = ({ path }: Question, { name }: SlashOption) => [...path, name].join(' ');

beforeAll(async () => {
  hook = await receiver();
  apprise = await startApprise({ ...login, services: { traders: ['phones'] } });
  ntfy = await startNtfy({ token: ntfyToken });
  bot = await startBotProcess({
    config: {
      // The questions are what is tested: a small market leaves the processor to them. At this speed it has liquidations to
      // draw every few seconds.
      data: { budget: { limit: 100_000 }, embedded: { symbols: 4, speed: 60 } },
      operators: [`discord:${operator}`],
      platforms: {
        webhook: { secret: 'signing-key-0123456789', allow: ['127.0.0.1'] },
        ntfy: { url: ntfy.url, token: ntfyToken },
        apprise: { url: apprise.url, ...login },
      },
    },
  });
  discord = discordPeople(bot);
  telegram = telegramPeople(bot);
  const registered = (bot.discord.commands.of.get('global') ?? []) as (SlashCommand & {
    readonly type: number;
  })[];
  // An entry of a message's menu (3) is no slash command.
  questions = registered.filter(({ type }) => type === 1).flatMap(questionsOf);
  await each(completed(), async ({ question, option }) => {
    const [first] = (await discord.complete(question, option.name, '')).choices;
    if (first !== undefined) offers.set(optionName(question, option), String(first.value));
  });
});
afterEach(() => {
  expect(bot.defects()).toEqual([]);
  for (const { token } of [bot.discord, bot.telegram]) expect(bot.program.written()).not.toContain(token);
});
afterAll(async () => {
  await bot[Symbol.asyncDispose]();
  await hook.close();
  await apprise.close();
  await ntfy.close();
});

const completed = () =>
  questions.flatMap((question) =>
    question.options.flatMap((option) => (option.autocomplete === true ? [{ question, option }] : [])),
  );
const asked = (question: Question, all = false): Input =>
  typical(question, (option) => offers.get(optionName(question, option)) ?? 'all', all);

/** A hostile text for each of many questions, in turn: what reads them is the same for all. */
const someHostile = (index: number): string => hostile[index % hostile.length] ?? '';

const firstWord = (text: string): string => text.split(' ', 1)[0] ?? text;

const firstAnswers = new Map<Question, Promise<Answered>>();
/** Returns what Discord is answered to a question with the least input, which is asked once for all tests. */
const answerTo = (question: Question): Promise<Answered> => {
  const answer = firstAnswers.get(question) ?? discord.slash(question, asked(question));
  firstAnswers.set(question, answer);
  return answer;
};

describe('npm start, between Discord and Telegram', () => {
  it('every command is registered with Discord, and all but the operator’s are in Telegram’s menus', () => {
    const named = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).toSorted();
    expect([...new Set(questions.map(({ path: [name] }) => name))].toSorted()).toEqual(named(commands));
    const shown = [...bot.telegram.menus.values()].flat().map(({ command }) => command.replaceAll('_', '-'));
    expect([...new Set(shown)].toSorted()).toEqual(
      named(commands.filter(({ takes }) => takes !== 'operate')),
    );
  });

  it('an operator can subscribe a webhook, after a post has arrived there', async () => {
    const question: Question = { path: ['at'], options: [] };
    const input = { place: hook.url, line: 'subscribe funding-extreme oi-momentum' };
    // Other tests may change the language of the channel that they all use.
    const { id: channelId } = bot.discord.addChannel({ guild_id: bot.guild.id, name: 'operators' });
    const asOperator = { userId: operator, channelId };
    await discord.slash(question, input, { channelId });
    expect(hook.arrivals).toEqual([]);
    const { message } = await discord.slash(question, input, asOperator);
    expect(message.embeds?.[0]?.title).toMatch(/^webhook http\\?:\/\/127\.0\.0\.1:\d+\/…: Subscribed$/);
    expect(hook.arrivals.map(({ body }) => JSON.parse(body))).toMatchObject([
      { card: { title: 'Alerts will arrive here' } },
    ]);
    const listed = await discord.slash(question, { ...input, line: 'subscriptions' }, asOperator);
    expect(JSON.stringify(listed.message.embeds)).toMatch(/Extreme funding/);
  });

  it('an operator can subscribe a phone by its topic, after a notification has arrived there', async () => {
    const question: Question = { path: ['at'], options: [] };
    const input = { place: 'ntfy:tocsin-0123456789', line: 'alert create price.last above=1000000 btc' };
    const { id: channelId } = bot.discord.addChannel({ guild_id: bot.guild.id, name: 'phones' });
    const { message } = await discord.slash(question, input, { userId: operator, channelId });
    expect(message.embeds?.[0]?.title).toMatch(/^ntfy tocsin…: /);
    expect(ntfy.standing()).toMatchObject([{ topic: 'tocsin-0123456789', title: 'Alerts will arrive here' }]);
  });

  it('an operator can subscribe a key of Apprise, after a message has arrived there', async () => {
    const question: Question = { path: ['at'], options: [] };
    const input = { place: 'apprise:traders?tag=phones', line: 'subscribe listing' };
    const { id: channelId } = bot.discord.addChannel({ guild_id: bot.guild.id, name: 'services' });
    const { message } = await discord.slash(question, input, { userId: operator, channelId });
    expect(message.embeds?.[0]?.title).toMatch(/^apprise tra… phones: Subscribed$/);
    expect(apprise.told).toMatchObject([{ key: 'traders', tag: 'phones', title: 'Alerts will arrive here' }]);
  });

  it('every autocomplete is answered, whatever is typed', async () => {
    await each([...completed().entries()], async ([index, { question, option }]) => {
      for (const text of ['b', someHostile(index)])
        await discord.complete(question, option.name, text.slice(0, 100));
    });
  });

  it('every command and its buttons are answered in both chats, with the same pictures', async () => {
    const pictured = { discord: new Set<Question>(), telegram: new Set<Question>() };
    const lineOf = (question: Question) =>
      [`/${question.path.join(' ')}`, ...Object.values(asked(question))].join(' ');
    const inDiscord = async () => {
      // A button of each command is pressed: with other inputs it is another question of the same kind.
      const buttons = new Map<string, string>();
      const menus = new Map<string, string>();
      await each(questions, async (question) => {
        const answers = [await answerTo(question), await discord.slash(question, asked(question, true))];
        for (const [index, answered] of answers.entries()) {
          const pictures = picturesOf.discord(answered);
          if (index === 0 && pictures.length > 0) pictured.discord.add(question);
          for (const { width, height } of pictures) expect(width * height).toBeGreaterThan(100_000);
          for (const { components } of answered.message.components ?? []) {
            for (const part of components) {
              if ('url' in part) continue;
              if (part.type === 2) buttons.set(firstWord(part.custom_id), part.custom_id);
              else if (part.type === 3)
                for (const { value } of part.options) menus.set(value, part.custom_id);
            }
          }
        }
      });
      expect(buttons.size).toBeGreaterThan(10);
      await each([...buttons.values()], discord.press);
      await each([...menus], ([value, custom]) => discord.choose(custom, value));
    };
    const inTelegram = () => {
      const pressed = new Set<string>();
      return each(questions, async (question) => {
        const message = await telegram.say(lineOf(question));
        if (picturesOf.telegram(bot, message).length > 0) pictured.telegram.add(question);
        for (const { callback_data: data } of message.keyboard.flat()) {
          if (data === undefined || pressed.has(firstWord(data))) continue;
          pressed.add(firstWord(data));
          await telegram.press(message, data);
        }
      });
    };
    await Promise.all([inDiscord(), inTelegram()]);

    // Questions asked before there was data, or while the machine had no time to draw, are asked again.
    const draws = {
      discord: async (question: Question) =>
        picturesOf.discord(await discord.slash(question, asked(question))).length > 0,
      telegram: async (question: Question) =>
        picturesOf.telegram(bot, await telegram.say(lineOf(question))).length > 0,
    };
    const all = () => pictured.discord.union(pictured.telegram);
    await until('commands with a picture', async () => {
      if (all().size >= 11) return true;
      // They are asked one after the other, because together they would wait for each other's pictures again.
      for (const question of questions.filter((each) => !all().has(each)))
        if (await draws.discord(question)) pictured.discord.add(question);
      return false;
    });
    for (const chat of ['discord', 'telegram'] as const) {
      // `chart` draws the last alert that was sent to the chat; one chat may have an alert before the other.
      const missing = [...all().difference(pictured[chat])].filter(({ path: [name] }) => name !== 'chart');
      for (const question of missing)
        await until(`a picture of ${question.path.join(' ')} in ${chat}`, () => draws[chat](question), 250);
    }
  });

  it('every command is answered if input is missing or hostile', async () => {
    const inDiscord = each([...questions.entries()], async ([index, question]) => {
      const least = JSON.stringify(asked(question));
      for (const input of [{}, hostileInput(question, index)])
        await (JSON.stringify(input) === least ? answerTo(question) : discord.slash(question, input));
    });
    const inTelegram = each([...commands.entries()], async ([index, command]) => {
      const [field] = fieldsOf(command);
      for (const line of ['', `${field?.key ?? 'x'}=${someHostile(index)}`])
        await telegram.say(`/${command.name} ${line}`.slice(0, 4_096));
    });
    await Promise.all([inDiscord, inTelegram]);
  });

  it('every button and menu is answered, whatever data it carries', async () => {
    const carried = ['', 'bitcon', 'of an earlier version', ...hostile];
    const inDiscord = each(carried, async (text) => {
      // Prefixes of the bot's own buttons (commands, forms, pages), and one that no button of the bot has.
      for (const prefix of ['c:', 'f:', 'p:', 'x']) await discord.press(`${prefix}${text}`.slice(0, 100));
      for (const menu of [menuId, 'another menu']) await discord.choose(menu, text.slice(0, 100));
    });
    const inTelegram = each(carried, async (text) => {
      const message = await telegram.say('/market');
      await telegram.press(message, Buffer.from(text).subarray(0, 64).toString().replaceAll('\ufffd', ''));
    });
    await Promise.all([inDiscord, inTelegram]);
  });

  it('every form is answered, whatever is filled in, and so are the buttons of the answer', async () => {
    const shown = await each(questions, answerTo);
    const forms = shown.filter(({ modal }) => modal !== undefined);
    expect(forms.length).toBeGreaterThan(0);
    // Many answers have the same button.
    const pressed = new Set<string>();
    await each(
      forms.flatMap((form, index) => ['2.5', 'bitcon', someHostile(index)].map((text) => ({ form, text }))),
      async ({ form, text }) => {
        const { message } = await discord.fill(form, text);
        for (const { components } of message.components ?? [])
          for (const part of components) {
            if (part.type !== 2 || 'url' in part || pressed.has(part.custom_id)) continue;
            pressed.add(part.custom_id);
            await discord.press(part.custom_id);
          }
      },
    );
  });

  it('every inline query is answered, whatever is typed', async () => {
    // While the past loads, a card is not there yet.
    await until('three cards', async () => (await telegram.inline('btc')).length === 3, 250);
    await each(['', 'b', 'bitcon', 'eth funding', ...hostile], (text) => telegram.inline(text.slice(0, 256)));
  });
});
