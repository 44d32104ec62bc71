import type { DeliveryFailure } from '#src/language/errors.ts';
import type { Standing } from '#test/support/telegram/chats.ts';
import { startTelegramDouble, type TelegramDouble, token } from '#test/support/telegram/double.ts';
import type { Fault } from '#test/support/telegram/faults.ts';
import type { NotifierFixture } from '../fixture.ts';

/** The double listens at the address that the options name. */
const double = await startTelegramDouble({ limits: null });
const address = { chatId: '5001' };
const ports = {};

async function fresh(): Promise<TelegramDouble> {
  double.messages.length = 0;
  double.clearFaults();
  double.chats.clear();
  double.chat({ id: 5_001 });
  return double;
}

const faulty = (name: string, how: Fault['how'], expected: DeliveryFailure) => ({
  name,
  expected,
  async arrange() {
    (await fresh()).inject({ method: 'sendMessage', how });
    return { ports, address, close: async () => undefined };
  },
});

const answering = (
  code: number,
  description: string,
  expected: DeliveryFailure,
  parameters?: Record<string, number>,
) =>
  faulty(
    `${code} ${description}`,
    { answer: { code, description, ...(parameters && { parameters }) } },
    expected,
  );

const standing = (of: Standing, id = -100_200, kind: 'barred' | 'gone' = 'barred') => ({
  name: `the bot is ${of}`,
  expected: { kind },
  async arrange() {
    (await fresh()).chat({ id, standing: of });
    return { ports, address: { chatId: String(id) }, close: async () => undefined };
  },
});

const unknown: DeliveryFailure = { kind: 'unavailable', accepted: 'unknown' };
const limited = (seconds: number): DeliveryFailure => ({ kind: 'rate_limited', retryAfter: seconds * 1_000 });

export default {
  overHttp: true,
  options: { token, apiRoot: double.url, timeout: '400ms' },
  secrets: [token, token.split(':')[1] ?? token],
  idempotent: false,
  shown: [
    [
      { chatId: '-100123', threadId: 7 },
      { chatId: '-100123', threadId: 7 },
    ],
  ],
  refused: [{}, { chatId: '' }, { chatId: 0.5 }, { chatId: '@name' }, { chatId: '1', threadId: 0 }],
  async open() {
    await fresh();
    return { ports, address, received: () => double.texts(5_001), close: async () => undefined };
  },
  failures: [
    answering(429, 'Too Many Requests: retry after 5', limited(5), { retry_after: 5 }),
    answering(429, 'Too Many Requests: retry after 43838', limited(43_838), { retry_after: 43_838 }),
    answering(429, 'Too Many Requests: retry after 1000000000', limited(86_400), { retry_after: 1e9 }),
    answering(429, 'Too Many Requests: retry after 0', limited(1), { retry_after: 0 }),
    answering(429, 'Too Many Requests', limited(5)),
    answering(400, 'Bad Request: chat not found', { kind: 'missing' }),
    answering(400, 'Bad Request: message thread not found', { kind: 'missing' }),
    answering(400, 'Bad Request: TOPIC_DELETED', { kind: 'gone' }),
    answering(400, 'Bad Request: TOPIC_CLOSED', { kind: 'barred' }),
    answering(400, "Bad Request: can't parse entities: Unsupported start tag", { kind: 'rejected' }),
    answering(400, 'Bad Request: message is too long', { kind: 'rejected' }),
    answering(400, 'Bad Request: not enough rights to send text messages to the chat', { kind: 'barred' }),
    answering(400, 'Bad Request: CHAT_SEND_PLAIN_FORBIDDEN', { kind: 'barred' }),
    answering(400, 'Bad Request: CHAT_ADMIN_REQUIRED', { kind: 'barred' }),
    answering(400, 'Bad Request: CHANNEL_PRIVATE', { kind: 'barred' }),
    ...[
      'PEER_ID_INVALID',
      'CHANNEL_INVALID',
      'CHAT_CODE_OF_TOMORROW',
      'chat is deactivated',
      'group chat was deactivated',
      'group chat was upgraded to a supergroup chat',
    ].map((said) => answering(400, `Bad Request: ${said}`, { kind: 'missing' })),
    ...[
      'USER_BANNED_IN_CHANNEL',
      'ALLOW_PAYMENT_REQUIRED',
      'ALLOW_PAYMENT_REQUIRED_25',
      'PRIVACY_PREMIUM_REQUIRED',
      'CHAT_GUEST_SEND_FORBIDDEN',
      'USER_IS_BLOCKED',
      'INPUT_USER_DEACTIVATED',
      'PEER_FLOOD',
    ].map((said) => answering(400, `Bad Request: ${said}`, { kind: 'barred' })),
    answering(409, 'Conflict: terminated by setWebhook request', { kind: 'unavailable', accepted: 'no' }),
    answering(400, 'Bad Request: not enough rights to send photos to the chat', { kind: 'rejected' }),
    answering(403, 'Forbidden: CHAT_SEND_PHOTOS_FORBIDDEN', { kind: 'rejected' }),
    answering(
      400,
      'Bad Request: group chat was upgraded to a supergroup chat',
      { kind: 'moved', to: { chatId: '-1001234567890' } },
      { migrate_to_chat_id: -1_001_234_567_890 },
    ),
    answering(403, 'Forbidden: bot was kicked from the supergroup chat', { kind: 'barred' }),
    answering(500, 'Internal Server Error: restart', unknown),
    answering(502, 'Bad Gateway', unknown),
    answering(401, 'Unauthorized', { kind: 'unavailable', accepted: 'no' }),
    answering(404, 'Not Found', { kind: 'unavailable', accepted: 'no' }),
    standing('blocked', 5_007),
    standing('deactivated', 5_007, 'gone'),
    standing('never started', 5_007),
    standing('kicked'),
    standing('left'),
    standing('deleted', -100_200, 'gone'),
    faulty('the wire breaks before it was carried out', 'reset before', unknown),
    faulty('the wire breaks after it was carried out', 'reset after', unknown),
    faulty('no answer in time', 'hang', unknown),
    faulty('an HTML page', 'html page', unknown),
    faulty('half an answer', 'half an answer', unknown),
    faulty('an answer that is no message', 'garbage result', unknown),
  ],
} satisfies NotifierFixture;
