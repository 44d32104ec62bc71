import { pino } from 'pino';
import { afterEach } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { plainReader, say } from '#src/language/say.ts';
import type { Notification, Sending } from '#src/platforms/notifier.ts';
import type { NotifierPorts } from '#src/platforms/ports.ts';
import { openNotifier } from '#src/platforms/telegram/notifier.ts';
import { options } from '#src/platforms/telegram/options.ts';
import { type Clock, steadyClock, wallClock } from '#src/runtime/clock.ts';
import { alertCard } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { startTelegramDouble, token } from '#test/support/telegram/double.ts';

export const never = new AbortController().signal;
export const at = (address: Sending['address']): Sending => ({ address, signal: never });
const here = at({ chatId: '5' });
export const png = (text: string): Uint8Array => Buffer.from(`\x89PNG${text}`, 'latin1');
export const post = (given: Partial<Notification> = {}): Notification => ({
  id: 'n-1',
  version: 'v1',
  card: alertCard,
  loud: true,
  doubt: false,
  ...given,
});
export const titled = (title: string): Card<string> => ({ ...alertCard, title });

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Starts the notifier against a strict double of Telegram that has the chat 5. */
export async function notifier(
  image: NotifierPorts['image'] = async () => undefined,
  {
    botApi = 10.3,
    now = Date.now,
    steady = steadyClock,
  }: { readonly botApi?: number; readonly now?: () => number; readonly steady?: Clock } = {},
) {
  const double = await startTelegramDouble({ limits: null, botApi });
  const warnings: string[] = [];
  const delays: [begun: number, reached: number][] = [];
  const turns: string[] = [];
  const blocks: [place: string | undefined, ms: number][] = [];
  const refusals: string[] = [];
  const connection = openNotifier(
    options.parse({ token, apiRoot: `${double.url}/`, timeout: '500ms' }),
    notifierPorts({
      steady,
      image,
      wall: { ...wallClock, now },
      pace: {
        wait: () => 0,
        reportDelay: (...each) => void delays.push(each),
        block: (...each) => void blocks.push(each),
        async take(chat, { lane }) {
          turns.push(`${lane} ${chat}`);
          return { giveBack: () => {} };
        },
      },
      reportTokenRefused: (reason) => void refusals.push(say(reason, plainReader)),
      reportTokenAccepted: () => void refusals.push('over'),
      log: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) }),
    }),
  );
  open.push(double.close, async () => connection.close?.());
  double.chat({ id: 5 });
  return {
    double,
    connection,
    warnings,
    delays,
    turns,
    blocks,
    refusals,
    send: (notification: Notification, to = here) => connection.send(notification, to),
    async edit(reference: string, notification: Notification, to = here) {
      if (connection.edit === undefined) throw new Error('no edit');
      return connection.edit(reference, { notification, ...to });
    },
  };
}
