import type { ServerResponse } from 'node:http';

/** A failure of the next requests that match. */
export interface Fault {
  /** Only requests of this method; any method if omitted. */
  readonly method?: string;
  readonly chatId?: number;
  /** How many requests fail; 1 if omitted. */
  readonly times?: number;
  /** How many matching requests pass before the first failure. */
  readonly after?: number;
  readonly how:
    | {
        readonly answer: {
          readonly code: number;
          readonly description: string;
          readonly parameters?: Readonly<Record<string, number>>;
        };
      }
    | 'reset before'
    /** The connection is reset after the request was carried out. */
    | 'reset after'
    | 'hang'
    | 'html page'
    | 'rate limit of a proxy'
    | 'half an answer'
    | 'garbage result';
}

export function createFaults() {
  const pending: { fault: Fault; left: number; passing: number }[] = [];
  return {
    inject: (fault: Fault) => void pending.push({ fault, left: fault.times ?? 1, passing: fault.after ?? 0 }),
    clear: () => void pending.splice(0),
    take(method: string, chatId: unknown): Fault['how'] | undefined {
      const index = pending.findIndex(
        ({ fault }) =>
          (fault.method === undefined || fault.method === method) &&
          (fault.chatId === undefined || String(fault.chatId) === String(chatId)),
      );
      const found = pending[index];
      if (found === undefined) return undefined;
      if (found.passing > 0) {
        found.passing -= 1;
        return undefined;
      }
      found.left -= 1;
      if (found.left <= 0) pending.splice(index, 1);
      return found.fault.how;
    },
  };
}

/** Makes the connection or the response fail. */
export function misbehave(how: Exclude<Fault['how'], object>, response: ServerResponse): void {
  switch (how) {
    case 'hang':
      return;
    case 'reset before':
    case 'reset after':
      (response.socket as { resetAndDestroy(): void } | null)?.resetAndDestroy();
      return;
    case 'html page':
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>');
      return;
    case 'rate limit of a proxy':
      response.writeHead(429, { 'content-type': 'text/html', 'retry-after': '9' });
      response.end('<html><head><title>429 Too Many Requests</title></head></html>');
      return;
    case 'half an answer':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '200' });
      response.write('{"ok":true,"result":{"messa');
      response.socket?.end();
      return;
    case 'garbage result':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"ok":true,"result":"yes"}');
  }
}
