import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port on this machine, and the address at which it is opened. Port 0: any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Listens at the address until the result is disposed. @throws the error of the operating system, with its `code` */
export async function occupy({ host, port }: ListenAddress): Promise<AsyncDisposable> {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/** Returns the operating system's code, e.g. EADDRINUSE, if nothing can listen at the address now; else undefined. */
export async function listenProblem(address: ListenAddress): Promise<string | undefined> {
  try {
    await using _listening = await occupy(address);
    return undefined;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}
