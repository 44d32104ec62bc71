import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { acceptedLanguage } from '../../language/languages.ts';
import { isTimeZone } from '../../language/time-format.ts';
import type { Caller } from '../../shell/command.ts';
import { operatorRights, type Rights, viewerRights } from '../../shell/rights.ts';
import type { Role } from './access.ts';
import type { Viewer } from './ports/alert-feed.ts';

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
export const viewerIn = (room: string, reader: Viewer['reader']): Viewer => ({
  receiver: webReceiver(room),
  reader,
  seesAllPlaces: true,
});

const rightsByRole: Readonly<Record<Role, Rights>> = {
  operator: operatorRights,
  viewer: viewerRights,
};

/** Returns the caller of a page's request. The page does not distinguish people, except by their role. */
export const callerIn = (
  room: string,
  {
    headers,
    timeZone = 'UTC',
    role = 'operator',
  }: {
    readonly headers: IncomingHttpHeaders;
    readonly timeZone?: string | undefined;
    readonly role?: Role | undefined;
  },
): Caller => ({
  receiver: webReceiver(room),
  user: 'console',
  rights: rightsByRole[role],
  language: acceptedLanguage(headers['accept-language']),
  timeZone,
});
