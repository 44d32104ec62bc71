import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import type { Secret } from '../../runtime/secret.ts';
import { minute, second } from '../../runtime/units.ts';
import { managerRights, memberRights } from '../../shell/rights.ts';
import { type MemberStanding, noAnswerError, type Proven, type SignIn } from '../notifier.ts';
import type { BotApi } from './bot-api.ts';
import { address, type TelegramOptions } from './options.ts';
import { nameOf } from './run-question.ts';

/** How old a proof may be, ms: one is made for each sign-in, and each time an app is opened. */
const maxAge = 5 * minute;
/** How far Telegram's clock may be ahead of this one, ms. */
const maxAhead = minute;
/** Telegram's own fields take about 1,000 characters. */
const maxLength = 4_096;

const user = z.object({
  id: z.coerce.number().int().positive(),
  first_name: z.string().max(256).default(''),
  username: z.string().max(64).optional(),
});
const seconds = z
  .string()
  .regex(/^\d{1,11}$/)
  .transform(Number);
const hexDigest = z.string().regex(/^[0-9a-f]{64}$/);

type Fields = ReadonlyMap<string, string>;

interface Proving {
  readonly token: Secret;
  /** Wall ms. */
  readonly now: number;
}

/**
 * Reads what Telegram gives to a Mini App (`initData`). Undefined unless it was signed for this bot a short while ago
 * (Mini Apps, "Validating data received via the Mini App").
 */
function readInitData(text: string, { token, now }: Proving): Proven | undefined {
  const fields = fieldsOf(text);
  const key = createHmac('sha256', 'WebAppData').update(token.reveal()).digest();
  return fields && provenBy(fields, { key, now, user: parseJson(fields.get('user') ?? '') });
}

/** Reads what Telegram's login gives, as a query. Undefined as above (Login Widget, "Checking authorization"). */
function readLogin(text: string, { token, now }: Proving): Proven | undefined {
  const fields = fieldsOf(text);
  const key = createHash('sha256').update(token.reveal()).digest();
  return fields && provenBy(fields, { key, now, user: Object.fromEntries(fields) });
}

/** Undefined if a field is given twice: it would be unclear which of the two is signed. */
function fieldsOf(text: string): Fields | undefined {
  if (text.length > maxLength) return undefined;
  const entries = [...new URLSearchParams(text)];
  const fields = new Map(entries);
  return fields.size === entries.length ? fields : undefined;
}

function provenBy(
  fields: Fields,
  { key, now, user: given }: { readonly key: Buffer; readonly now: number; readonly user: unknown },
): Proven | undefined {
  const hash = hexDigest.safeParse(fields.get('hash'));
  const at = seconds.safeParse(fields.get('auth_date'));
  const { data } = user.safeParse(given);
  if (!hash.success || !at.success || data === undefined) return undefined;
  const signed = [...fields]
    .filter(([name]) => name !== 'hash')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const expected = createHmac('sha256', key).update(signed).digest();
  const age = now - at.data * second;
  if (!timingSafeEqual(Buffer.from(hash.data, 'hex'), expected) || age >= maxAge || age <= -maxAhead)
    return undefined;
  return { person: `telegram:${data.id}`, name: nameOf(data), proof: hash.data };
}

/** Returns the fields of a login as a query. Telegram's page gives them as JSON in the fragment, a button as a query. */
function queryOf({ query, fragment }: { readonly query: string; readonly fragment: string }): string {
  const result = new URLSearchParams(fragment).get('tgAuthResult');
  if (result === null) return query;
  const fields = z
    .record(z.string(), z.union([z.string(), z.number()]))
    .safeParse(parseJson(Buffer.from(result, 'base64').toString()));
  const entries = Object.entries(fields.data ?? {});
  return String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
}

const chat = z.looseObject({ type: z.string(), title: z.string().default('') });
const member = z.looseObject({
  status: z.string(),
  is_member: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
});

/** Telegram's login, its Mini Apps, and what a member of a chat may do there: what commands in the chat let him do. */
export const createSignIn = (
  { token, timeout }: TelegramOptions,
  { api, wall }: { readonly api: Pick<BotApi, 'call'>; readonly wall: WallClock },
): SignIn => ({
  async start({ returnTo, state }) {
    const address = new URL('https://oauth.telegram.org/auth');
    const back = new URL(returnTo);
    back.searchParams.set('state', state);
    address.search = String(
      new URLSearchParams({
        bot_id: token.reveal().split(':', 1)[0] ?? '',
        origin: back.origin,
        return_to: back.href,
      }),
    );
    return address.href;
  },
  finish: async (given) => readLogin(queryOf(given), { token, now: wall.now() }),
  inApp: (given) => readInitData(given, { token, now: wall.now() }),
  own: (person) => ({ chatId: idOf(person) }),
  async standing(person, given) {
    const { chatId } = address.parse(given);
    if (chatId === idOf(person)) return { name: 'Telegram', rights: managerRights };
    if (!chatId.startsWith('-')) return undefined;
    const ask = <Result extends z.ZodType>(method: string, result: Result, more: object = {}) =>
      api.call(method, {
        payload: { chat_id: chatId, ...more },
        result,
        signal: AbortSignal.timeout(timeout),
      });
    try {
      const [{ type, title }, standing] = await Promise.all([
        ask('getChat', chat),
        ask('getChatMember', member, { user_id: Number(idOf(person)) }),
      ]);
      const rights = rightsBy(standing, type);
      return rights && { name: title, rights };
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const { kind } = error.outcome;
      if (kind !== 'unavailable' && kind !== 'rate_limited') return undefined;
      throw noAnswerError('Telegram', error);
    }
  },
});

const idOf = (person: string): string => person.slice('telegram:'.length);

/** In a channel only its administrators can ask the bot; in a group those who may write. */
function rightsBy(
  { status, is_member, can_send_messages }: z.output<typeof member>,
  type: string,
): MemberStanding['rights'] | undefined {
  if (status === 'creator' || status === 'administrator') return managerRights;
  if (type === 'channel') return undefined;
  const writes = status === 'member' || (status === 'restricted' && is_member && can_send_messages);
  return writes === true ? memberRights : undefined;
}
