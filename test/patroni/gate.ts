import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Member, says } from './cluster.ts';

/** Ms between two requests to the servers. */
const every = 500;

/**
 * Opens one port for all servers that leads to the primary, as HAProxy does with `httpchk GET /primary` and `on-marked-down
 * shutdown-sessions`: connections to a server that is not the primary any more are closed.
 */
export async function openGate(members: readonly Member[]) {
  const ends = new Map<Socket, Member>();
  let primary: Member | undefined;
  const look = async () => {
    const found = await Promise.all(members.map(({ rest }) => says(`${rest}/primary`)));
    const next = members.find((_, index) => found[index]);
    if (next !== primary) for (const [end, member] of ends) if (member !== next) end.destroy();
    primary = next;
  };
  await look();
  const looking = setInterval(() => void look(), every);
  const server = createServer((client) => {
    const to = primary;
    if (to === undefined) return client.destroy();
    const upstream = connect(to.port, '127.0.0.1');
    for (const [end, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      ends.set(end, to);
      end.on('error', () => {});
      end.on('close', () => {
        ends.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      clearInterval(looking);
      for (const end of ends.keys()) end.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
