import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptedLanguage } from '../../language/languages.ts';
import { isTimeZone } from '../../language/time-format.ts';
import type { Caller } from '../../shell/command.ts';
import { operatorRights, type Rights, viewerRights } from '../../shell/rights.ts';
import type { Access, Role } from './access.ts';
import type { MemberAccess } from './members.ts';
import type { Viewer } from './ports/alert-feed.ts';
import type { WebPorts } from './ports.ts';

const room = z.string().regex(/^[a-z0-9-]{1,40}$/, 'give a room such as "main"');
/** What a member names a place of a platform by, in place of a room: `telegram:-1001234567890`. */
const place = z.string().regex(/^[a-z]+:[\w@/-]{1,80}$/);
/** A browser that does not know its zone gives an empty name. */
const timeZone = z
  .string()
  .max(64)
  .transform((name) => name || 'UTC')
  .refine(isTimeZone, 'give an IANA time zone such as Europe/Berlin');

/** The room and the time zone of a page, which each of its requests contains. */
export const pageQuery = z.object({
  room: z.union([room, place], 'give a room such as "main"').default('main'),
  timeZone: timeZone.default('UTC'),
});

export const webReceiver = (room: string): Caller['receiver'] => ({ notifier: 'web', address: { room } });
/** Whether the caller is a member of the place that it asks for, which is then one of another platform. */
export const isMember = ({ receiver }: Pick<Caller, 'receiver'>): boolean => receiver.notifier !== 'web';

/** Returns how a caller looks at alerts. */
export const viewerOf = async (
  caller: Parameters<WebPorts['reader']>[0],
  reader: WebPorts['reader'],
): Promise<Viewer> => ({
  receiver: caller.receiver,
  reader: await reader(caller),
  seesAllPlaces: !isMember(caller),
});

const rightsByRole: Readonly<Record<Role, Rights>> = {
  operator: operatorRights,
  viewer: viewerRights,
};

/** A request of somebody who is not recognised. */
export class Unrecognised extends Error {
  readonly statusCode = 401;
  constructor() {
    super('give the token (http.token) as Authorization: Bearer');
  }
}

/**
 * Returns who sends a request of the page, with the rights that its sender has there.
 * @param given the room and the time zone that the request names. Default: its query.
 * @throws Unrecognised, or UserError if the sender has no rights there
 */
export type CallerOf = (
  request: Pick<FastifyRequest, 'headers' | 'query' | 'method'>,
  given?: unknown,
) => Promise<Caller>;

/**
 * Creates what every route asks who calls. Those who have a token are distinguished by their role alone. A member has in each place
 * the rights that its platform says he has: it is asked anew before anything is changed.
 */
export const createCallerOf =
  (access: Pick<Access, 'roleOf'>, members: Pick<MemberAccess, 'sessionOf' | 'enter'>): CallerOf =>
  async ({ headers, query, method }, given = query) => {
    const role = access.roleOf(headers);
    const { room: named, timeZone } = pageQuery.parse(given);
    const reading = { language: languageIn(headers), timeZone };
    if (role !== undefined)
      return {
        ...reading,
        receiver: webReceiver(room.parse(named)),
        user: 'console',
        rights: rightsByRole[role],
      };
    const session = await members.sessionOf(headers);
    if (session === undefined) throw new Unrecognised();
    const { person, name } = session;
    const isWrite = method !== 'GET' && method !== 'HEAD';
    const { receiver, standing } = await members.enter(session, { room: named, isWrite });
    return { ...reading, receiver, user: name, person, rights: standing.rights, answeredElsewhere: true };
  };

export const languageIn = (headers: IncomingHttpHeaders): Caller['language'] =>
  acceptedLanguage(headers['accept-language']);
