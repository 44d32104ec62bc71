import { z } from 'zod';
import type { DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { minute, second } from '../../runtime/units.ts';

/** JSON error codes of the API that mean something to us (Discord API docs, opcodes and status codes). */
export const code = {
  unknownChannel: 10003,
  unknownGuild: 10004,
  unknownMessage: 10008,
  tooManyOldEdits: 30046,
  alreadyPublished: 40033,
  missingAccess: 50001,
  cannotDm: 50007,
  nonTextChannel: 50008,
  missingPermissions: 50013,
  wrongChannelType: 50024,
  invalidWebhookToken: 50027,
  archivedThread: 50083,
  /** A failure within Discord's own network, for a while, whatever its status. */
  internalNetworkError: 40333,
} as const;

/** Said also while Discord has an outage: that a channel was deleted for good is the gateway's to say. */
const missing: Readonly<Record<number, Text>> = {
  [code.unknownChannel]: msg('Discord: the channel no longer exists'),
  [code.unknownGuild]: msg('Discord: the server no longer exists'),
};

/** The receiver is no more. */
const gone: Readonly<Record<number, Text>> = {
  [code.invalidWebhookToken]: msg('Discord: the webhook no longer exists'),
};

/** The bot may not post there until somebody lets it, and the remedy. */
const barred: Readonly<Record<number, Text>> = {
  [code.missingAccess]: msg('Discord: the bot may not see the channel: give it "View Channel"'),
  [code.missingPermissions]: msg(
    'Discord: the bot lacks a permission in the channel: give it "Send Messages", "Embed Links" and "Attach Files" (in a thread "Send Messages in Threads")',
  ),
  [code.cannotDm]: msg('Discord: this person blocks messages from the bot: they must allow direct messages'),
  [code.archivedThread]: msg('Discord: the thread is archived and locked: a moderator must open it'),
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
  /** Parsed JSON; undefined where it was none. */
  readonly json: unknown;
}

/** Something other than success. */
export interface DiscordRefusal {
  readonly status: number;
  /** Discord's own number; 0 or undefined where it gave none. */
  readonly code: number | undefined;
  readonly outcome: DeliveryFailure;
  /** With the remedy, for people. */
  readonly reason: Text;
  /** 429: nothing may be sent at all. */
  readonly global: boolean;
  /** Counts towards the ban of the address Discord sees us at. */
  readonly invalid: boolean;
}

/** How long to leave a platform alone that does not say, ms. */
const defaultRetryAfter = minute;

export function refusal({ status, headers, json }: RawDiscordAnswer): DiscordRefusal {
  const parsed = errorBody.safeParse(json);
  const body = parsed.success ? parsed.data : {};
  const scope = headers['x-ratelimit-scope'];
  const base = { status, code: body.code, global: false, invalid: status === 401 || status === 403 };
  const said = body.message === undefined ? `${status}` : `${status} (${body.code ?? 0} ${body.message})`;

  if (body.code === code.tooManyOldEdits) {
    return { ...base, outcome: { kind: 'rejected' }, reason: msg('the post is too old to be edited again') };
  }
  if (status === 429) {
    // Without Discord's JSON it is the proxy before it that speaks: it means everything from here.
    const global = body.global === true || scope === 'global' || !parsed.success;
    const retryAfter = retryAfterOf(body.retry_after, headers['retry-after']);
    const reason = msg('Discord asked for a pause; resending after it');
    const invalid = scope !== 'shared';
    return { ...base, outcome: { kind: 'rate_limited', retryAfter }, reason, global, invalid };
  }
  const why = gone[body.code ?? 0];
  if (why !== undefined) return { ...base, outcome: { kind: 'gone' }, reason: why };
  const absent = missing[body.code ?? 0];
  if (absent !== undefined) return { ...base, outcome: { kind: 'missing' }, reason: absent };
  const remedy = barred[body.code ?? 0];
  if (remedy !== undefined) return { ...base, outcome: { kind: 'barred' }, reason: remedy };
  if (status >= 500 || status < 400 || body.code === code.internalNetworkError) {
    const reason = msg('Discord answered {status} and may have posted it; retrying', {
      status: String(status),
    });
    return { ...base, outcome: { kind: 'unavailable', accepted: 'unknown' }, reason };
  }
  if (!parsed.success || status === 408) {
    const reason = msg('Discord, or a proxy before it, answered {status} without JSON; retrying', {
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
  return Number.isNaN(seconds) ? defaultRetryAfter : Math.ceil(seconds * second);
}

/** What headers tell of the future: nothing more of this bucket for so long, ms. 0: there is room. */
export function exhaustedFor(headers: RawDiscordAnswer['headers']): number {
  const seconds = Number(headers['x-ratelimit-reset-after']);
  return headers['x-ratelimit-remaining'] === '0' && seconds > 0 ? Math.ceil(seconds * second) : 0;
}
