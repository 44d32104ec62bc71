import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Faults of a wire: nothing comes through, all connections are closed and refused, or some responses are cut off. */
export type WireFault = 'silent' | 'restarted' | 'unanswered';

/** A TCP proxy to a server, on loopback. */
export interface Wire {
  fault: WireFault | undefined;
  readonly port: number;
  close(): Promise<void>;
}

/** Share of the responses that are cut off. */
const unheard = 1 / 10;

export async function layWire(
  to: { readonly host: string; readonly port: number },
  random: () => number,
): Promise<Wire> {
  const ends = new Set<Socket>();
  let fault: WireFault | undefined;
  const carry = (from: Socket, on: Socket, answers: boolean) => {
    ends.add(from);
    from.setNoDelay();
    from.on('data', (chunk) => {
      if (fault === 'unanswered' && answers && random() < unheard) return from.destroy();
      on.write(chunk);
    });
    if (fault === 'silent') from.pause();
    from.on('error', () => {});
    from.on('close', () => {
      ends.delete(from);
      on.destroy();
    });
  };
  const server = createServer((client) => {
    if (fault === 'restarted') return client.destroy();
    const upstream = connect(to);
    carry(client, upstream, false);
    carry(upstream, client, true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get fault() {
      return fault;
    },
    set fault(next) {
      fault = next;
      for (const end of ends) {
        if (next === 'restarted') end.destroy();
        else if (next === 'silent') end.pause();
        else end.resume();
      }
    },
    async close() {
      for (const end of ends) end.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
