import fc from 'fast-check';
import { Telegraf } from 'telegraf';
import { expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import type { Answers } from '#src/platforms/telegram/answers.ts';
import { registerHandlers } from '#src/platforms/telegram/conversation.ts';
import { maxText, renderTelegram } from '#src/platforms/telegram/render.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { codePoint } from '#test/support/code-point.ts';
import { commandPorts } from '#test/support/command-ports.ts';
import { commandContext, commands } from '#test/support/commands.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { conversationPorts } from '#test/support/ports.ts';
import { ada, bob, me, token } from '#test/support/telegram/double.ts';
import { parseHtml } from '#test/support/telegram/html.ts';

const group = { id: -1_001_234_567_890, type: 'supergroup', title: 'Group' };

/** Creates the whole conversation without the network and collects what it would send. */
function conversation() {
  const said: { chatId: string; card: Card<string> }[] = [];
  const store = memoryStore();
  const answers: Answers = {
    post: async ({ chatId }, card) => void said.push({ chatId, card }),
    rewrite: async ({ chatId }, _, card) => void said.push({ chatId, card }),
    holdChat: async () => {},
    resumeChat: async () => {},
    moveChat: async () => {},
  };
  const bugs: unknown[] = [];
  const bot = new Telegraf(token);
  bot.botInfo = { ...me, is_bot: true, first_name: 'Tocsin' } as never;
  bot.catch((error) => {
    throw error;
  });
  registerHandlers(bot, {
    ports: conversationPorts(
      commandPorts(commandContext({ store }), (error) => {
        bugs.push(error);
        return 'a-reference';
      }),
    ),
    api: {
      call: async (_, { result }) => result.parse({}),
      now: wallClock.now,
      fetch: async () => new Uint8Array(),
    },
    answers,
    members: {
      manages: async (_, userId) => userId === ada.id,
      findManagedChat: async (name) => ({ chatId: '-1009', title: name }),
    },
    username: me.username,
    stopping: new AbortController().signal,
  });
  return { bot, said, store, bugs };
}

const word = fc.oneof(
  fc.constantFrom(
    ...commands.map(({ name }) => name),
    'start',
    'sub_funding_BTC',
    'constructor',
    'toString',
    'btc',
    'all',
    '1h',
    '@durov',
  ),
  fc.constantFrom(
    '<b>',
    '</b>',
    '&lt;',
    '"',
    "'",
    '=',
    '>',
    '/',
    '\n',
    '\0',
    '\ud800',
    '__proto__',
    'kinds=all',
  ),
  fc.string({ unit: codePoint, maxLength: 12 }),
);
const line = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
const typed = fc
  .record({ slash: fc.constantFrom('/', ''), line })
  .map(({ slash, line: text }) => slash + text);
const pressedData = fc.oneof(
  fc
    .record({ sign: fc.constantFrom('>', '=', '0', '1', '9', '?'), line })
    .map((each) => each.sign + each.line),
  fc.string({ unit: codePoint, maxLength: 64 }),
);

const readable = ({ card }: { card: Card<string> }) => {
  const { html } = renderTelegram(card, { limit: maxText });
  const types = parseHtml(html).entities.map(({ type }) => type);
  return types.every((type) =>
    ['bold', 'italic', 'pre', 'bot_command', 'expandable_blockquote'].includes(type),
  );
};

let id = 0;
const update = (text: string, pressed: boolean, inPrivate: boolean) => {
  id += 1;
  const chat = inPrivate ? { id: bob.id, type: 'private', first_name: 'Bob' } : group;
  const date = Math.floor(Date.now() / 1_000);
  const message = { message_id: id, date, chat, from: bob, text };
  // The button is part of the message; data that a client makes up is refused before it is read.
  const reply_markup = { inline_keyboard: [[{ text: 'x', callback_data: text }]] };
  return pressed
    ? {
        update_id: id,
        callback_query: {
          id: String(id),
          from: bob,
          chat_instance: 'x',
          data: text,
          message: { ...message, reply_markup },
        },
      }
    : { update_id: id, message };
};

it('2,000 inputs of a member crash nothing, inject nothing, mention nobody and change no settings', async () => {
  const { bot, said, store, bugs } = conversation();
  const anything = fc.record({
    pressed: fc.boolean(),
    inPrivate: fc.boolean(),
    text: fc.oneof(typed, pressedData),
  });
  await fc.assert(
    fc.asyncProperty(anything, async ({ text, pressed, inPrivate }) => {
      await bot.handleUpdate(update(text, pressed, inPrivate) as never);
      for (const each of said.splice(0)) {
        expect(readable(each)).toBe(true);
        expect([String(bob.id), String(group.id)]).toContain(each.chatId);
      }
    }),
    { numRuns: 2_000 },
  );
  const theirs = [...store.kept.subscriptions, ...store.kept.silences].map(
    ({ receiver }) => receiver?.address,
  );
  expect(theirs.filter((address) => address?.chatId === String(group.id))).toEqual([]);
  expect(bugs).toEqual([]);
});

it('updates of any shape crash nothing', async () => {
  const { bot, said } = conversation();
  const kinds = fc.constantFrom(
    'message',
    'channel_post',
    'callback_query',
    'inline_query',
    'my_chat_member',
    'poll',
  );
  const shape = fc.dictionary(kinds, fc.object({ key: fc.constantFrom('chat', 'from', 'text', 'id', 'x') }));
  await fc.assert(
    fc.asyncProperty(shape, async (given) => {
      // An update may be refused with an error that the intake logs; it must not crash anything.
      await bot.handleUpdate({ update_id: 1, ...given } as never).catch((error) => {
        expect(error).toBeInstanceOf(Error);
      });
      expect(said.splice(0).every(readable)).toBe(true);
    }),
    { numRuns: 150 },
  );
});
