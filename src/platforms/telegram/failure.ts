import { z } from 'zod';
import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { second } from '../../runtime/units.ts';

/** What the Bot API says where it did not do as asked. */
export const refusal = z.object({
  ok: z.literal(false),
  error_code: z.int(),
  description: z.string().default(''),
  parameters: z
    .object({ retry_after: z.number().min(0).optional(), migrate_to_chat_id: z.int().optional() })
    .optional(),
});
export type TelegramRefusal = z.output<typeof refusal>;

/** Where a 429 does not say how long. */
const defaultRetryAfter = 5 * second;

/** 400s after which a chat or topic is no more; any other 400 is about this message. */
const gone = /TOPIC_DELETED|TOPIC_ID_INVALID|chat was deactivated/i;
/** 400s that are said of what is no more, and of what the bot cannot see for now. */
const missing = /chat not found|message thread not found/i;

/** The same for a person who is no more or a group that was deleted; any other 403 is taken back by those who gave it. */
const goneForGood = /user is deactivated|group chat was deleted/i;
/** 400s of rights that an administrator gives. */
const barred =
  /not enough rights|have no rights|need administrator rights|CHAT_WRITE_FORBIDDEN|CHAT_RESTRICTED/i;

const noSuchMethod = /method not found/;

/** Whose turn it is after an answer that was not ok. */
export function failure({ error_code: code, description, parameters }: TelegramRefusal): DeliveryFailure {
  const to = parameters?.migrate_to_chat_id;
  if (to !== undefined) return { kind: 'moved', to: { chatId: String(to) } };
  if (code === 429) {
    const after = parameters?.retry_after;
    return {
      kind: 'rate_limited',
      retryAfter: after === undefined ? defaultRetryAfter : Math.max(1, after) * second,
    };
  }
  if (code === 400 && gone.test(description)) return { kind: 'gone' };
  if (code === 400 && missing.test(description)) return { kind: 'missing' };
  // Blocked, kicked, not a member: nothing is taken there until that changes.
  if (code === 403) return { kind: goneForGood.test(description) ? 'gone' : 'barred' };
  if (code === 400 && barred.test(description)) return { kind: 'barred' };
  // A Bot API server of one's own that is older than the method.
  if (code === 404 && noSuchMethod.test(description)) return { kind: 'rejected' };
  // It may have been carried out before it failed.
  if (code >= 500) return { kind: 'unavailable', accepted: 'unknown' };
  if (code === 401 || code === 404) return { kind: 'unavailable', accepted: 'no' };
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
export const remedy = ({ kind }: DeliveryFailure): Text => remedies[kind];

const unreached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a request that failed on the wire can have been carried out. */
export const acceptance = (error: unknown): 'no' | 'unknown' =>
  error instanceof Error && 'code' in error && unreached.has(String(error.code)) ? 'no' : 'unknown';

export const isRejected = (error: unknown): error is DeliveryError =>
  error instanceof DeliveryError && error.outcome.kind === 'rejected';
const says = (pattern: RegExp) => (error: unknown) => isRejected(error) && pattern.test(error.message);

/** The message is as it should be already. */
export const isUnchanged = says(/message is not modified/);
/** The message that was to be edited is no more, or stayed behind when its group moved. */
export const isMissing = says(/message to edit not found|MESSAGE_ID_INVALID|message can't be edited/);
/** A Bot API server of one's own that is older than these (9.5). */
export const knowsNoTimes = says(/Unsupported start tag "tg-time"/);
/** One that is older than rich messages (10.1): it has no method for them, and of an edit sees only that it has no text. */
export const knowsNoRich = says(/method not found|message text is empty/i);
/** A rich message is not taken with these. */
export const takesNoRichTimes = says(/RICH_MESSAGE_DATE_INVALID/);
/** Whoever pressed the button waits no more. */
export const isTooOld = says(/query is too old/);
/** Another process fetches the updates of this token. */
export const isConflict = says(/ with 409, /);
