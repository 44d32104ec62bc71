import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  /** Answers per second. */
  readonly rate: number;
  /** Ms of each request. */
  readonly times: number[];
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
}

/**
 * Opens keep-alive connections that each send the next request once the last is answered. The code uses sockets, because
 * an HTTP client needs as much processor time as the server and would distort the measurement.
 * @param request returns the bytes of the next request
 * @param until gets the number of answers, and returns whether to end
 */
export async function load(
  port: number,
  connections: number,
  request: () => string,
  until: (answered: number) => boolean,
): Promise<Load> {
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const ended = new Error('ended');
  let failure: Error | undefined;
  const begin = performance.now();

  const run = async (socket: Socket): Promise<void> => {
    let asked = performance.now();
    let pending: Buffer = Buffer.alloc(0);
    const ask = () => {
      asked = performance.now();
      socket.write(request());
    };
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const size = sizeOf(pending);
      if (size === null || pending.length < size) return;
      times.push(performance.now() - asked);
      const status = Number(pending.toString('latin1', 9, 12));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      pending = Buffer.alloc(0);
      if (until(times.length)) socket.destroy(ended);
      else ask();
    });
    ask();
    const [error] = await once(socket, 'close').catch((cause) => [cause]);
    if (error !== false && error !== ended) failure ??= error as Error;
  };

  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  await Promise.all(sockets.map(run));
  if (failure !== undefined) throw failure;
  return { rate: (times.length / (performance.now() - begin)) * 1_000, times, statuses };
}

/** Returns the size of the response in bytes; null while its head is incomplete. */
function sizeOf(bytes: Buffer): number | null {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return null;
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1];
  return head + 4 + Number(length ?? 0);
}
