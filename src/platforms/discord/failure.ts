import { z } from 'zod';
import type { DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { boundedPause } from '../../runtime/retry-after.ts';
import { minute, second } from '../../runtime/units.ts';

/** The JSON error codes of the API that the bot handles (Discord API docs, opcodes and status codes). */
export const code = {
  unknownChannel: 10003,
  unknownGuild: 10004,
  unknownMessage: 10008,
  unknownRole: 10011,
  tooManyOldEdits: 30046,
  alreadyPublished: 40033,
  missingAccess: 50001,
  cannotDm: 50007,
  nonTextChannel: 50008,
  verificationTooHigh: 50009,
  threadNotBegun: 40058,
  noFreeTags: 40066,
  tagRequired: 40067,
  missingPermissions: 50013,
  wrongChannelType: 50024,
  invalidForm: 50035,
  invalidWebhookToken: 50027,
  archivedThread: 50083,
  notInThisLocation: 50095,
  noCommonServer: 50278,
  /** Replies need "Read Message History"; posts do not. */
  cannotReply: 160002,
  threadExists: 160004,
  lockedThread: 160005,
  tooManyThreads: 160006,
  tooManyAnnouncementThreads: 160007,
  internalNetworkError: 40333,
  temporarilyDisabled: 40006,
  overloaded: 130_000,
} as const;

/** Failures of Discord itself that pass, whatever the HTTP status. */
const passingCodes: readonly unknown[] = [
  code.internalNetworkError,
  code.temporarilyDisabled,
  code.overloaded,
];

/** Errors that Discord also returns during an outage. Only the gateway's events tell that a channel was deleted for good. */
const missingReasons: Readonly<Record<number, Text>> = {
  [code.unknownChannel]: msg('Discord: the channel no longer exists'),
  [code.unknownGuild]: msg('Discord: the server no longer exists'),
};

/** Errors after which the receiver no longer exists. */
const goneReasons: Readonly<Record<number, Text>> = {
  [code.invalidWebhookToken]: msg('Discord: the webhook no longer exists'),
};

const wrongType = msg(
  'Discord: a channel of this type takes no messages of the bot: choose a text, announcement or forum channel',
);

/** Errors after which the bot may not post until a person allows it again, with the remedy. */
const barredReasons: Readonly<Record<number, Text>> = {
  [code.missingAccess]: msg('Discord: the bot may not see the channel: give it "View Channel"'),
  [code.missingPermissions]: msg(
    'Discord: the bot lacks a permission in the channel: give it "Send Messages", "Embed Links" and "Attach Files" (in a thread "Send Messages in Threads")',
  ),
  [code.cannotDm]: msg('Discord: this person blocks messages from the bot: they must allow direct messages'),
  [code.noCommonServer]: msg(
    'Discord: the bot cannot write to this person: they must join a server with the bot in it and allow direct messages there',
  ),
  [code.tagRequired]: msg(
    'Discord: the forum takes no posts without a tag: turn off "Require people to select tags when posting"',
  ),
  [code.noFreeTags]: msg(
    'Discord: only moderators may set the tags of the forum: add one that everyone may set, or require none',
  ),
  [code.threadNotBegun]: msg('Discord: the thread takes no messages before that of its author'),
  [code.verificationTooHigh]: msg(
    'Discord: the server asks for a verification that the bot cannot give: lower its verification level, or exempt the bot',
  ),
  [code.tooManyAnnouncementThreads]: msg(
    'Discord: too many announcement threads are active: archive some, or let them be hidden sooner',
  ),
  [code.notInThisLocation]: msg('Discord: the server is not available where the bot runs'),
  [code.nonTextChannel]: wrongType,
  [code.wrongChannelType]: wrongType,
  [code.archivedThread]: msg('Discord: the thread is archived and locked: a moderator must open it'),
  [code.lockedThread]: msg('Discord: the thread is locked: a moderator must unlock it'),
};

const errorBody = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  /** Seconds. */
  retry_after: z.number().nonnegative().optional(),
  global: z.boolean().optional(),
});

export interface RawDiscordAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; undefined if it was not JSON. */
  readonly json: unknown;
}

/** A response other than success. */
export interface DiscordRefusal {
  readonly status: number;
  /** Discord's own error code; 0 or undefined if it gave none. */
  readonly code: number | undefined;
  readonly outcome: DeliveryFailure;
  /** The reason and the remedy, for people. */
  readonly reason: Text;
  /** True for a 429 after which no request at all may be sent. */
  readonly global: boolean;
  /** Whether the response counts towards Discord's ban of the bot's IP address. */
  readonly invalid: boolean;
}

/** How long to pause if Discord does not say how long, ms. */
const defaultRetryAfter = minute;

export function readRefusal({ status, headers, json }: RawDiscordAnswer): DiscordRefusal {
  const parsed = errorBody.safeParse(json);
  const body = parsed.success ? parsed.data : {};
  const scope = headers['x-ratelimit-scope'];
  const base = { status, code: body.code, global: false, invalid: status === 401 || status === 403 };
  const said = body.message === undefined ? `${status}` : `${status} (${body.code ?? 0} ${body.message})`;

  if (body.code === code.tooManyOldEdits) {
    return { ...base, outcome: { kind: 'rejected' }, reason: msg('the post is too old to be edited again') };
  }
  if (status === 429) {
    // A 429 without Discord's JSON comes from the proxy in front of Discord and applies to all of the bot's requests.
    const global = body.global === true || scope === 'global' || !parsed.success;
    const retryAfter = retryAfterOf(body.retry_after, headers['retry-after']);
    const reason = msg('Discord asked for a pause; resending after it');
    const invalid = scope !== 'shared';
    return { ...base, outcome: { kind: 'rate_limited', retryAfter }, reason, global, invalid };
  }
  const goneReason = goneReasons[body.code ?? 0];
  if (goneReason !== undefined) return { ...base, outcome: { kind: 'gone' }, reason: goneReason };
  const missingReason = missingReasons[body.code ?? 0];
  if (missingReason !== undefined) return { ...base, outcome: { kind: 'missing' }, reason: missingReason };
  const barredReason = barredReasons[body.code ?? 0];
  if (barredReason !== undefined) return { ...base, outcome: { kind: 'barred' }, reason: barredReason };
  if (body.code === code.tooManyThreads) {
    const reason = msg(
      'Discord: the server has too many active threads: archive some, or let them be hidden sooner; retrying',
    );
    return { ...base, outcome: { kind: 'unavailable', accepted: 'no' }, reason };
  }
  if (status >= 500 || status < 400 || passingCodes.includes(body.code)) {
    const reason = msg('Discord answered {status} and may have posted it; retrying', {
      status: String(status),
    });
    return { ...base, outcome: { kind: 'unavailable', accepted: 'unknown' }, reason };
  }
  // Discord names the cause of what it refuses for good. Anything else says nothing about the message or the place: it comes
  // from a proxy, or is about a token or URL.
  if (status === 408 || !parsed.success || (!body.code && status !== 400)) {
    const reason = msg('Discord, or a proxy before it, answered {status} without a cause; retrying', {
      status: String(status),
    });
    return { ...base, outcome: { kind: 'unavailable', accepted: 'no' }, reason };
  }
  return {
    ...base,
    outcome: { kind: status === 403 ? 'barred' : 'rejected' },
    reason: msg('Discord refused the message: {said}', { said }),
  };
}

function retryAfterOf(body: number | undefined, header: unknown): number {
  const seconds =
    body ?? (typeof header === 'string' && /^\d+(\.\d+)?$/.test(header) ? Number(header) : Number.NaN);
  return Number.isNaN(seconds) ? defaultRetryAfter : boundedPause(Math.ceil(seconds * second));
}

/** Returns for how long, ms, the rate limit bucket is used up according to the response's headers; 0: it is not. */
export function exhaustedFor(headers: RawDiscordAnswer['headers']): number {
  const seconds = Number(headers['x-ratelimit-reset-after']);
  return headers['x-ratelimit-remaining'] === '0' && seconds > 0
    ? boundedPause(Math.ceil(seconds * second))
    : 0;
}
