import { pino } from 'pino';
import { afterEach, expect, vi } from 'vitest';
import { type Receiver, receiverKey } from '#src/alert/subscription.ts';
import type { Ports } from '#src/platforms/ports.ts';
import type { TelegramOptions } from '#src/platforms/telegram/options.ts';
import telegram from '#src/platforms/telegram/platform.ts';
import { startTelegram } from '#src/platforms/telegram/telegram.ts';
import { wallClock } from '#src/runtime/clock.ts';
import type { Caller } from '#src/shell/command.ts';
import { commandPorts } from '#test/support/command-ports.ts';
import { commandContext } from '#test/support/commands.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { patience } from '#test/support/patience.ts';
import { memoryPlaces } from '#test/support/places.ts';
import { conversationPorts } from '#test/support/ports.ts';
import type { Message } from '#test/support/telegram/chats.ts';
import { ada, bob, type DoubleOptions, startTelegramDouble, token } from '#test/support/telegram/double.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

export const closing = (close: () => Promise<unknown>) => void open.push(close);

export const double = async (options: DoubleOptions = { limits: null }) => {
  const started = await startTelegramDouble(options);
  closing(started.close);
  return started;
};

/** Starts the platform over the real commands, and collects everything that it logs. */
export async function platform(
  at: { readonly url: string },
  given: {
    readonly ports?: Partial<Ports>;
    readonly options?: Partial<TelegramOptions>;
    readonly receivers?: readonly Receiver[];
  } = {},
) {
  const lines: string[] = [];
  const store = memoryStore();
  const kept = memoryPlaces(given.receivers);
  const asked: { line: string; caller: Caller }[] = [];
  const usual = commandPorts(commandContext({ store, rich: telegram.rich }));
  const started = await startTelegram(
    { ...telegram.options.parse({ token, apiRoot: at.url, timeout: '5s' }), ...given.options },
    conversationPorts({
      ...usual,
      async ask(request, caller) {
        asked.push({ line: String(request), caller });
        return usual.ask(request, caller);
      },
      places: kept.places,
      steady: wallClock,
      log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
      ...given.ports,
    }),
  );
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await started.close();
  };
  closing(close);
  return { ...started, ...kept, store, asked, lines, close };
}

export const chatOf = (chatId: number | string, threadId?: number): Receiver => ({
  notifier: 'telegram',
  address: { chatId: String(chatId), ...(threadId !== undefined && { threadId }) },
});
export const key = receiverKey;

/** Starts the platform with a Telegram of its own. */
export async function talk(given: Parameters<typeof platform>[1] = {}) {
  const telegram = await double();
  return { telegram, bot: await platform(telegram, given) };
}
type Telegram = Awaited<ReturnType<typeof double>>;

export const group = -100_500;
/** Starts the platform in a group with a topic, of which Ada is an administrator and Bob a member. */
export async function inGroup() {
  const telegram = await double();
  telegram.chat({ id: ada.id });
  telegram.chat({ id: bob.id });
  const members = { [ada.id]: 'administrator', [bob.id]: 'member' };
  telegram.chat({ id: group, members, topics: [7] });
  return { telegram, bot: await platform(telegram) };
}

export const waitFor = <T>(look: () => T, matcher: unknown) =>
  vi.waitFor(() => expect(look()).toEqual(matcher), { timeout: patience, interval: 5 });

/** Waits until a chat has a message with this text in it. */
export const hears = (telegram: Telegram, chatId: number, text: string) =>
  waitFor(() => telegram.texts(chatId).some((each) => each.includes(text)), true);

/** Waits until the bot has run exactly these lines. */
export const asks = (
  bot: { readonly asked: readonly { readonly line: string }[] },
  lines: readonly string[],
) => waitFor(() => bot.asked.map(({ line }) => line), lines);

/** Waits for the only message of the bot. */
export async function firstMessage({ messages }: Telegram): Promise<Message> {
  await waitFor(() => messages.length, 1);
  return messages[0] as Message;
}

/** Returns what pressing a button sends: the first one of a message, or the one with this text. @throws if there is none */
export function dataOf({ keyboard }: Message, label?: string): string {
  const button = keyboard.flat().find(({ text }) => label === undefined || text === label);
  if (button?.callback_data === undefined) throw new Error(`no ${label} among ${JSON.stringify(keyboard)}`);
  return button.callback_data;
}
