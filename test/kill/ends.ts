import type { IncomingHttpHeaders } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Receiver } from '#src/alert/subscription.ts';
import type { Arrival } from './verdict.ts';

/** One complete request of a bot, except requests to its data service. */
export interface Request {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The message that the request posted or edited; absent if it did neither. */
  readonly arrival?: Omit<Arrival, 'life'>;
  /** The request was carried out, but the bot gets no response. */
  readonly unheard?: boolean;
}

/** Has the parent record a message that came over a socket; `answer` is called when the response is due. */
export type Hear = (
  socket: Socket,
  message: { readonly arrival: Omit<Arrival, 'life'>; answer(): void },
) => Promise<void>;

/** The receiving ends of a bot's messages: the parent passes each request to them and returns their reply. */
export interface Ends {
  /** Options of the bot’s notifiers, by name. @param origin of the parent’s server */
  notifiers(origin: string): Readonly<Record<string, object>>;
  /** The receivers with the wishes of this name, one for each notifier. */
  receivers(name: string, origin: string): readonly Receiver[];
  take(request: Request): Promise<Reply> | Reply;
  /** Returns the server of a protocol other than HTTP. All that it takes is passed to `hear` before it is answered. */
  server?(hear: Hear): Server | undefined;
  close(): Promise<void>;
}

/** Receivers of webhooks; their path is their name. */
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

/** Several ends as one: on the parent's server each has a path of its own. */
export function joined(all: readonly Ends[]): Ends {
  const path = (index: number) => `/end-${index}`;
  return {
    notifiers: (origin) =>
      Object.assign({}, ...all.map((each, index) => each.notifiers(origin + path(index)))),
    receivers: (name, origin) => all.flatMap((each, index) => each.receivers(name, origin + path(index))),
    take(request) {
      const index = all.findIndex((_, at) => request.path.startsWith(path(at)));
      const rest = request.path.slice(path(index).length);
      return all[index]?.take({ ...request, path: rest || '/' }) ?? { status: 404, body: '' };
    },
    server: (hear) => all.map((each) => each.server?.(hear)).find((server) => server !== undefined),
    close: async () => void (await Promise.all(all.map((each) => each.close()))),
  };
}
