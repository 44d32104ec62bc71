/** The strict double in its own process, controlled over IPC, so that its work does not count as the bot's. */

import { startTelegramDouble } from '#test/support/telegram/double.ts';
import { type Limits, realLimits } from '#test/support/telegram/limits.ts';

/** A request to the process. Times are ms since the epoch. */
export type Order =
  | { readonly kind: 'start'; readonly limited: boolean }
  /** Refuses the next message to each of the chats with 429. */
  | { readonly kind: 'refuse'; readonly chatIds: readonly number[]; readonly retryAfter: number }
  /** Never answers requests to that chat. */
  | { readonly kind: 'hang'; readonly chatId: number }
  | { readonly kind: 'forum'; readonly chatId: number; readonly topics: number }
  | { readonly kind: 'say'; readonly chatId: number; readonly text: string }
  | { readonly kind: 'progress' }
  | { readonly kind: 'report' };

export interface Arrivals {
  readonly url: string;
  readonly sent: number;
  /** Number of 429 responses that no order asked for. */
  readonly refused: number;
  /** Chat, time, first line, and whether there is a picture, of each accepted message. */
  readonly messages: readonly {
    readonly chatId: string;
    readonly at: number;
    readonly title: string;
    readonly photo: boolean;
  }[];
}

const limits: Limits | null = process.argv[2] === 'unlimited' ? null : realLimits;
const double = await startTelegramDouble({ limits, openDoor: true });
let injected = 0;

const isSend = (method: string) => method === 'sendMessage' || method === 'sendPhoto';
const accepted = () => double.calls.filter(({ method, code }) => isSend(method) && code === 200);

process.on('message', (order: Order) => {
  if (order.kind === 'refuse') {
    injected += order.chatIds.length;
    for (const chatId of order.chatIds) {
      const { retryAfter } = order;
      double.inject({
        chatId,
        how: {
          answer: {
            code: 429,
            description: `Too Many Requests: retry after ${retryAfter}`,
            parameters: { retry_after: retryAfter },
          },
        },
      });
    }
  }
  if (order.kind === 'hang')
    double.inject({ chatId: order.chatId, times: Number.POSITIVE_INFINITY, how: 'hang' });
  if (order.kind === 'forum')
    double.chat({ id: order.chatId, topics: Array.from({ length: order.topics }, (_, n) => n + 1) });
  if (order.kind === 'say')
    double.say(order.text, {
      chatId: order.chatId,
      user: { id: Math.abs(order.chatId), is_bot: false, first_name: 'x' },
    });
  const sends = order.kind === 'report' ? accepted() : [];
  const answer: Arrivals = {
    url: double.url,
    sent: double.messages.length,
    refused: double.refusals(429) - injected,
    messages: sends.map(({ method, fields, at }) => ({
      chatId: String(fields.chat_id),
      at: performance.timeOrigin + at,
      title: String(fields.text ?? fields.caption).split('\n', 1)[0] ?? '',
      photo: method === 'sendPhoto',
    })),
  };
  process.send?.(answer);
});
process.send?.({ url: double.url, sent: 0, refused: 0, messages: [] } satisfies Arrivals);
