import { z } from 'zod';
import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { boundedPause, parseRetryAfter } from '../../runtime/retry-after.ts';
import { minute, second } from '../../runtime/units.ts';

/** The Bot API's response to a request that it did not carry out. */
export const refusal = z.object({
  ok: z.literal(false),
  error_code: z.int(),
  description: z.string().default(''),
  parameters: z
    .object({ retry_after: z.number().min(0).optional(), migrate_to_chat_id: z.int().optional() })
    .optional(),
});
export type TelegramRefusal = z.output<typeof refusal>;

export const notAccepted = msg(
  'Telegram does not accept TELEGRAM_TOKEN: nothing is sent there; ask @BotFather for a valid one and restart',
);

/** Tells whether Telegram refuses the token. It responds with 404 to one of the wrong shape, as to any unknown URL. */
export const refusesToken = ({ error_code: code, description }: TelegramRefusal): boolean =>
  code === 401 || (code === 404 && description === 'Not Found');

/** How long to pause after a 429 that does not say how long, ms. */
const defaultRetryAfter = 5 * second;
/**
 * The longest pause of a whole chat after a 429, ms. What then waits longer is asked for again and refused once; an answer to
 * a person, who waits for it, is given up.
 */
export const longestChatPause = minute;

/** Descriptions of a 400 that say that the topic no longer exists. */
const gone = /TOPIC_DELETED|TOPIC_ID_INVALID/i;
/**
 * Descriptions of a 400 that may mean a chat or topic that no longer exists, or one that the bot cannot see for now. A group
 * that was upgraded says where it went with one of its next answers, or with an update.
 */
const missing =
  /chat not found|message thread not found|(PEER|CHAT|CHANNEL|USER)_ID_INVALID|CHANNEL_INVALID|chat (is|was) deactivated|group chat was upgraded/i;

/** Descriptions of a 403 that say that a person's account or a group was deleted. The cause of any other 403 can be undone. */
const goneForGood = /user is deactivated|group chat was deleted/i;
/**
 * Descriptions of a 400 that say that the bot may not write there, which an administrator or the person can change: a right,
 * a ban, a price, a block.
 */
const barred =
  /not enough rights|have no rights|need administrator rights|CHAT_\w+_FORBIDDEN|CHAT_FORBIDDEN|CHAT_RESTRICTED|CHAT_ADMIN_REQUIRED|CHANNEL_PRIVATE|TOPIC_CLOSED|(PAYMENT|PREMIUM)_REQUIRED|USER_(BANNED|RESTRICTED|IS_BLOCKED|IS_BOT|DEACTIVATED|NOT_PARTICIPANT|PRIVACY)|YOU_BLOCKED_USER|PEER_FLOOD/i;
/** Descriptions that say that the bot may write there, but send no message of this kind, such as a photo. */
const mediaBarred = /not enough rights to send (?!text messages)|CHAT_SEND_(?!PLAIN)\w+_FORBIDDEN/i;

/** Any other description of a 400 that names the chat: it is not about the message. */
const aboutChat = /\b(CHAT|CHANNEL)_[A-Z]/;

const noSuchMethod = /method not found/;

/** Returns the kind of failure that a response means: what has to be done next. Any 400 not known here is about the message. */
export function failureOf({ error_code: code, description, parameters }: TelegramRefusal): DeliveryFailure {
  const to = parameters?.migrate_to_chat_id;
  if (to !== undefined) return { kind: 'moved', to: { chatId: String(to) } };
  if (code === 429) {
    const after = parameters?.retry_after;
    return {
      kind: 'rate_limited',
      retryAfter: after === undefined ? defaultRetryAfter : boundedPause(Math.max(1, after) * second),
    };
  }
  if (code === 400 && gone.test(description)) return { kind: 'gone' };
  if (code === 400 && missing.test(description)) return { kind: 'missing' };
  if ((code === 400 || code === 403) && mediaBarred.test(description)) return { kind: 'rejected' };
  // The bot was blocked or removed, or is not a member: it cannot post there until that changes.
  if (code === 403) return { kind: goneForGood.test(description) ? 'gone' : 'barred' };
  if (code === 400 && barred.test(description)) return { kind: 'barred' };
  if (code === 400 && aboutChat.test(description)) return { kind: 'missing' };
  // A self-hosted Bot API server that is older than the method.
  if (code === 404 && noSuchMethod.test(description)) return { kind: 'rejected' };
  // The request may have been carried out before the error.
  if (code >= 500) return { kind: 'unavailable', accepted: 'unknown' };
  if (code === 401 || code === 404 || code === 409) return { kind: 'unavailable', accepted: 'no' };
  return { kind: 'rejected' };
}

const remedies: Readonly<Record<DeliveryFailure['kind'], Text>> = {
  rate_limited: msg('resending when Telegram allows'),
  unavailable: msg('retrying'),
  barred: msg(
    'alerts there are on hold until the bot may post again: unblock it, add it back or give it the right to post',
  ),
  missing: msg('tried again for three days, then its subscriptions end'),
  gone: msg('its subscriptions end; to get them back, start the bot there again'),
  moved: msg('following it to its new chat'),
  rejected: msg('not retried; if rights are missing, make the bot an administrator who may post'),
};
export const remedyOf = ({ kind }: DeliveryFailure): Text => remedies[kind];

/** Returns how long the chat must wait, ms, if that is why a request failed; else undefined. */
export const chatPauseOf = (error: unknown): number | undefined =>
  error instanceof DeliveryError && error.outcome.kind === 'rate_limited'
    ? Math.min(error.outcome.retryAfter, longestChatPause)
    : undefined;

/** Returns the failure that a 429 without Telegram's JSON means, which comes from a proxy before it. */
export const proxyPause = (retryAfter: unknown): DeliveryFailure => ({
  kind: 'rate_limited',
  retryAfter: parseRetryAfter(retryAfter, Number.NaN) ?? defaultRetryAfter,
});

export const isRejected = (error: unknown): error is DeliveryError =>
  error instanceof DeliveryError && error.outcome.kind === 'rejected';
const matches = (pattern: RegExp) => (error: unknown) => isRejected(error) && pattern.test(error.message);

/** The message already has the content of the edit. */
export const isUnchanged = matches(/message is not modified/);
/** The message to edit is a photo, which has a caption. */
export const hasCaption = matches(/there is no text in the message to edit/);
/** The message to edit no longer exists, or it stayed in the old group when the group moved. */
export const isMissing = matches(/message to edit not found|MESSAGE_ID_INVALID|message can't be edited/);
/** A self-hosted Bot API server is older than times in each reader's own zone (9.5). */
export const knowsNoTimes = matches(/Unsupported start tag "tg-time"/);
/** A self-hosted Bot API server is older than rich messages (10.1): it lacks their method, and an edit has no text for it. */
export const knowsNoRich = matches(/method not found|message text is empty/i);
/** Telegram refuses a rich message because of its times. */
export const takesNoRichTimes = matches(/RICH_MESSAGE_DATE_INVALID/);
/** The press of a button is too old to be acknowledged. */
export const isTooOld = matches(/query is too old/);
/** The chat takes text, but no message of this kind, such as a photo. */
export const takesNoMedia = matches(mediaBarred);
/** The error concerns the topic alone; the other topics of the group are not affected. */
export const isAboutTopic = ({ message }: DeliveryError): boolean =>
  /TOPIC_(DELETED|ID_INVALID|CLOSED)/.test(message);
/** Another process fetches the updates of this token. */
export const isConflict = (error: unknown): boolean =>
  error instanceof DeliveryError && / with 409, /.test(error.message);
/** The token is refused for now, which the bot has said. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof DeliveryError && error.text === notAccepted;
