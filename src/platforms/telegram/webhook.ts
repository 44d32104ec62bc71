import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Update } from 'telegraf/types';
import { ConfigError } from '../../runtime/errors.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import type { Secret } from '../../runtime/secret.ts';
import { slowRequests } from '../../runtime/slow-requests.ts';
import { updateSchema } from './updates.ts';

interface TelegramWebhookOptions {
  /** The URL at which Telegram reaches the webhook; only its path is used here. */
  readonly url: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly secret: string;
  /** Resolves when the update is stored. Only then may Telegram forget it. */
  readonly accept: (updates: readonly Update[]) => Promise<void>;
  readonly log: Logger;
}

/** Maximum size of a request's body, bytes. Telegram's requests have a few kilobytes. */
const maxBody = 1_000_000;

/** Derives the webhook's secret from the token without revealing it: the same after every start, without a setting. */
export const webhookSecret = (token: Secret): string =>
  createHmac('sha256', token.reveal()).update('tocsin webhook').digest('hex');

/** Starts the server to which Telegram delivers updates. Requests without the secret are refused. @throws ConfigError */
export async function listen({ url, host, port, secret, accept, log }: TelegramWebhookOptions) {
  const path = new URL(url).pathname;

  const answer = async (request: IncomingMessage): Promise<number> => {
    if (request.method !== 'POST' || request.url?.split('?', 1)[0] !== path) return 404;
    if (!isSameText(String(request.headers['x-telegram-bot-api-secret-token'] ?? ''), secret)) return 403;
    const parsed = updateSchema.safeParse(await readJson(request));
    // The body is not an update, and repeating the request would not help.
    if (!parsed.success) return 400;
    await accept([parsed.data]);
    return 200;
  };

  const server = createServer(slowRequests, (request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      (error) => {
        log.warn({ err: error }, 'could not store a Telegram update; Telegram will resend it');
        response.writeHead(503).end();
      },
    );
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ConfigError(
      [`Telegram's webhook cannot listen on ${host}:${port}: set platforms.telegram.webhook.host and .port`],
      { cause },
    );
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Compares in constant time; hashing first gives both texts the same length. */
function isSameText(given: string, secret: string): boolean {
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) return undefined;
    chunks.push(chunk);
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'));
}
