import { setTimeout as delay } from 'node:timers/promises';
import type { Answered } from '#test/support/discord/interactions.ts';
import { fillIn } from '#test/support/discord/modal.ts';
import { type Asking, interaction, slashOptions } from '#test/support/discord/platform.ts';
import { readPng } from '#test/support/png.ts';
import type { Message } from '#test/support/telegram/chats.ts';
import type { BotProcess } from './bot.ts';
import type { Input, Question } from './inputs.ts';

let people = 0;
/** Returns a new person for each question, because the number of questions per person and minute is limited. */
const somebody = () => {
  people += 1;
  return { snowflake: String(700_000_000_000_000_000n + BigInt(people)), id: 20_000 + people };
};

const nested = (names: readonly string[], input: Input): object[] => {
  const [name, ...rest] = names;
  if (name === undefined) return slashOptions(input);
  return [{ name, type: rest.length === 0 ? 1 : 2, options: nested(rest, input) }];
};

/** Ms after which an answer counts as missing; much longer than a slow machine takes. */
const patience = 150_000;

/**
 * Waits until a condition holds. @throws an error that names it, after too long a time
 * @param pause ms between two checks; longer where the bot computes something for each of them
 */
export async function until(
  what: string,
  there: () => boolean | Promise<boolean>,
  pause = 25,
): Promise<void> {
  for (const begun = performance.now(); !(await there()); ) {
    if (performance.now() - begun > patience) throw new Error(`not there: ${what}`);
    await delay(pause);
  }
}

/** Returns what people do in Discord. */
export function discordPeople({ discord, guild, channel }: BotProcess) {
  const ask = (type: 2 | 3 | 4 | 5, data: object, at: Partial<Asking> = {}): Promise<Answered> =>
    discord.interact(
      interaction(type, data, {
        channelId: channel.id,
        guildId: guild.id,
        userId: somebody().snowflake,
        ...at,
      }),
    );
  return {
    slash: ({ path: [name, ...sub] }: Question, input: Input, at?: Partial<Asking>) =>
      ask(2, { id: '1', name, type: 1, options: nested(sub, input) }, at),
    press: (custom_id: string) => ask(3, { custom_id, component_type: 2 }),
    choose: (custom_id: string, value: string) => ask(3, { custom_id, component_type: 3, values: [value] }),
    /** Fills in the form that was shown: chooses the first option of each menu, and types this text into each field. */
    fill({ modal }: Answered, text: string): Promise<Answered> {
      if (modal === undefined) throw new Error('no form was shown');
      const answers = modal.components.map(({ component }) => [
        component.custom_id,
        component.type === 4 ? text.slice(0, component.max_length) : (component.options[0]?.value ?? ''),
      ]);
      return ask(5, fillIn(modal, Object.fromEntries(answers)));
    },
    complete({ path: [name, ...sub] }: Question, option: string, value: string) {
      const focused = { name: option, type: 3, value, focused: true };
      const within = sub.reduceRight<object[]>(
        (options, each) => [{ name: each, type: 1, options }],
        [focused],
      );
      return ask(4, { id: '1', name, type: 1, options: within });
    },
  };
}

/** Returns what people do in Telegram, each in their own private chat. */
export function telegramPeople({ telegram }: BotProcess) {
  const personOf = (id: number) => ({ id, is_bot: false, first_name: 'Somebody' });
  const person = () => {
    const { id } = somebody();
    telegram.chat({ id });
    return personOf(id);
  };
  const saidTo = (chatId: number): Message[] => telegram.messages.filter(({ chat }) => chat.id === chatId);
  return {
    /** Says a text; resolves with the first new message of the bot in that chat. Without `to`, a new person says it. */
    async say(text: string, to?: { readonly id: number }): Promise<Message> {
      const user = to === undefined ? person() : personOf(to.id);
      const before = saidTo(user.id).length;
      telegram.say(text, { chatId: user.id, user });
      await until(text, () => saidTo(user.id).length > before);
      return saidTo(user.id)[before] as Message;
    },
    /** Presses a button; resolves once the bot has answered the press. */
    async press(message: Message, data: string): Promise<void> {
      const query = telegram.press(message, data, personOf(message.chat.id));
      await until(`the button ${data}`, () => telegram.queries.get(query) !== null);
    },
    /** Resolves with the results of an inline query. */
    async inline(text: string): Promise<readonly { readonly title?: string }[]> {
      const query = telegram.type(text, person());
      await until(`inline ${text}`, () => telegram.queries.get(query) !== null);
      return telegram.queries.get(query) as readonly object[];
    },
  };
}

/** Return the sizes of the pictures of an answer, and fail if a picture is incomplete. */
export const picturesOf = {
  discord: ({ files }: Answered) =>
    files.filter(({ filename }) => filename.endsWith('.png')).map(({ bytes }) => readPng(bytes)),
  telegram: ({ telegram }: BotProcess, { photo }: Message) => {
    const bytes = telegram.files.get(photo?.fileId ?? '');
    return bytes === undefined ? [] : [readPng(bytes)];
  },
};

/** Works on all items, eight at a time. */
export async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, item] = next;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}
