/** The smallest possible server, with which start time and memory of a program are compared. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BareServer } from './baselines.ts';

const server = createServer((_request, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, rss: process.memoryUsage.rss() } satisfies BareServer);
});
process.on('disconnect', () => process.exit());
