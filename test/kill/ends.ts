import type { IncomingHttpHeaders } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Receiver } from '#src/alert/subscription.ts';
import type { Arrival } from './verdict.ts';

/** One whole request of a bot, but for those to its data service. */
export interface Request {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the request did, where it did anything. */
  readonly arrival?: Omit<Arrival, 'life'>;
  /** It is done, and the bot does not hear of it. */
  readonly unheard?: boolean;
}

/** Has the parent keep what came by a socket, and answer it when that is due. */
export type Hear = (
  socket: Socket,
  message: { readonly arrival: Omit<Arrival, 'life'>; answer(): void },
) => Promise<void>;

/** Where a bot's messages end: the parent hands them every request, and their reply back. */
export interface Ends {
  /** Options of the bot's notifiers, by name. @param origin of the parent's server, without a path */
  notifiers(origin: string): Readonly<Record<string, object>>;
  /** Whoever has these wishes: one for each notifier. */
  receivers(name: string, origin: string): readonly Receiver[];
  take(request: Request): Promise<Reply> | Reply;
  /** The server of what does not come by HTTP: from now on all that it takes is heard before it is answered. */
  server?(hear: Hear): Server;
  close(): Promise<void>;
}

/** Receivers of webhooks, whose path is their name. */
export const webhooks: Ends = {
  notifiers: () => ({ webhook: { secret: 'signs-what-the-storm-sends', allow: ['127.0.0.0/8'] } }),
  receivers: (name, origin) => [{ notifier: 'webhook', address: { url: `${origin}/${name}` } }],
  take: ({ path, headers, body }) => ({
    status: 200,
    body: '',
    arrival: { notifier: 'webhook', receiver: path.slice(1), key: String(headers['webhook-id']), body },
  }),
  close: async () => {},
};
