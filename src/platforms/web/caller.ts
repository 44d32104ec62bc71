import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptedLanguage } from '../../language/languages.ts';
import { isTimeZone } from '../../language/time-format.ts';
import type { Caller } from '../../shell/command.ts';
import { operatorRights, type Rights, viewerRights } from '../../shell/rights.ts';
import type { Access, Role } from './access.ts';
import type { Viewer } from './ports/alert-feed.ts';
import type { WebPorts } from './ports.ts';

export const room = z.string().regex(/^[a-z0-9-]{1,40}$/, 'give a room such as "main"');
/** A browser that does not know its zone gives an empty name. */
export const timeZone = z
  .string()
  .max(64)
  .transform((name) => name || 'UTC')
  .refine(isTimeZone, 'give an IANA time zone such as Europe/Berlin');

/** The room and the time zone of a page, which each of its requests contains. */
export const pageQuery = z.object({ room: room.default('main'), timeZone: timeZone.default('UTC') });

export const webReceiver = (room: string): Caller['receiver'] => ({ notifier: 'web', address: { room } });
/** Returns how a caller looks at alerts. */
export const viewerOf = async (
  caller: Parameters<WebPorts['reader']>[0],
  reader: WebPorts['reader'],
): Promise<Viewer> => ({
  receiver: caller.receiver,
  reader: await reader(caller),
  seesAllPlaces: true,
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
 * @throws Unrecognised
 */
export type CallerOf = (
  request: Pick<FastifyRequest, 'headers' | 'query'>,
  given?: unknown,
) => Promise<Caller>;

/** Creates what every route asks who calls. The page does not distinguish people, except by their role. */
export const createCallerOf =
  (access: Pick<Access, 'roleOf'>): CallerOf =>
  async ({ headers, query }, given = query) => {
    const role = access.roleOf(headers);
    if (role === undefined) throw new Unrecognised();
    const { room, timeZone } = pageQuery.parse(given);
    return {
      receiver: webReceiver(room),
      user: 'console',
      rights: rightsByRole[role],
      language: languageIn(headers),
      timeZone,
    };
  };

export const languageIn = (headers: IncomingHttpHeaders): Caller['language'] =>
  acceptedLanguage(headers['accept-language']);
