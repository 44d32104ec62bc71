import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { second } from '../../runtime/units.ts';

/** Wait if a rate limit is reached and the response gives no time. */
const defaultRetryAfter = 30 * second;

/** A response other than success. */
export interface SlackRefusal {
  /** Slack's error code; the HTTP status if there is none. */
  readonly code: string;
  readonly outcome: DeliveryFailure;
  /** The reason and the remedy, for people. */
  readonly reason: Text;
}

const missing = { kind: 'missing' } as const;
const rejected = { kind: 'rejected' } as const;
const unknown = { kind: 'unavailable', accepted: 'unknown' } as const;
const notProcessed = { kind: 'unavailable', accepted: 'no' } as const;

export const notAccepted = msg(
  'Slack does not accept SLACK_TOKEN: set the "Bot User OAuth Token" of an app that is installed in the workspace, and restart',
);
export const lacksScope = msg(
  'Slack: the app lacks a scope: give it "chat:write" and "channels:history" (in private channels "groups:history"), install it anew and restart',
);

const refusedTokens = [
  'invalid_auth',
  'not_authed',
  'token_revoked',
  'token_expired',
  'account_inactive',
  'org_login_required',
  'not_allowed_token_type',
  'team_access_not_granted',
];
const lackingScopes = ['missing_scope', 'no_permission'];

/** The bot cannot post there for now, but somebody may change that: sending is tried for three days. */
const missingReasons: Readonly<Record<string, Text>> = {
  channel_not_found: msg('Slack: no such channel, or a private one the bot is not in: invite it there'),
  not_in_channel: msg('Slack: the bot is not in the channel: invite it there'),
  is_archived: msg('Slack: the channel is archived'),
  restricted_action: msg('Slack: the workspace lets others post in the channel only'),
};
const restricted =
  /^(restricted_action_\w+|access_denied|accesslimited|channel_is_limited_access|ekm_access_denied|enterprise_is_restricted|team_not_found|messages_tab_disabled|cannot_dm_bot)$/;

/** Codes of which Slack says: "It's possible some aspect of the operation succeeded before the error was raised." */
const partlyDone = /^(fatal_error|internal_error|update_failed)$/;
/** Codes that say that the request did not arrive completely, or was not processed. */
const notProcessedCodes =
  /^(service_unavailable|request_timeout|team_added_to_org|external_channel_migrating)$/;

/** Whether the post that is edited no longer exists. */
const isDeleted = ({ code }: SlackRefusal): boolean => code === 'message_not_found';
/** Whether the post exists but cannot be edited any more. */
export const isUneditable = ({ code }: SlackRefusal): boolean =>
  code === 'edit_window_closed' || code === 'cant_update_message';
/** Whether the post that is replied to no longer exists or accepts no replies. */
export const isUnanswerable = ({ code }: SlackRefusal): boolean =>
  [
    'thread_not_found',
    'cannot_reply_to_message',
    'message_not_found',
    'thread_locked',
    'restricted_action_thread_locked',
    'restricted_action_non_threadable_channel',
  ].includes(code);

/**
 * Converts the error code of a response with `ok: false` to what happens next.
 * @param retryAfter ms, if the response gives it
 */
export function refusalOf(code: string, retryAfter?: number): SlackRefusal {
  if (code === 'ratelimited' || code === 'rate_limited')
    return {
      code,
      outcome: { kind: 'rate_limited', retryAfter: retryAfter ?? defaultRetryAfter },
      reason: msg('Slack asked for a pause; resending after it'),
    };
  if (refusedTokens.includes(code)) return { code, outcome: notProcessed, reason: notAccepted };
  if (lackingScopes.includes(code)) return { code, outcome: notProcessed, reason: lacksScope };
  const reason = missingReasons[restricted.test(code) ? 'restricted_action' : code];
  if (reason !== undefined) return { code, outcome: missing, reason };
  if (partlyDone.test(code)) return { code, outcome: unknown, reason: failedText(code) };
  if (notProcessedCodes.test(code)) return { code, outcome: notProcessed, reason: failedText(code) };
  if (isDeleted({ code, outcome: rejected, reason: '' }))
    return { code, outcome: rejected, reason: msg('the post was deleted: there is nothing left to edit') };
  return { code, outcome: rejected, reason: msg('Slack refused the message: {said}', { said: code }) };
}

const failedText = (said: string): Text => msg('Slack failed ({said}); retrying', { said });

export const toError = ({ outcome, reason }: SlackRefusal): DeliveryError =>
  new DeliveryError(outcome, reason);

/** Whether the refusal concerns the token, and therefore every channel. */
export const concernsToken = ({ code }: SlackRefusal): boolean =>
  refusedTokens.includes(code) || lackingScopes.includes(code);
