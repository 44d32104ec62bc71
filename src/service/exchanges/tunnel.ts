import { request } from 'node:http';
import { request as requestSecured } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as secure } from 'node:tls';
import type { ClientOptions } from 'ws';
import { second } from '../../runtime/units.ts';

interface Target {
  readonly host: string;
  readonly port: number | string;
}

/** TLS options for a host. The server name is left empty for an IP address, which is not a valid server name (RFC 6066). */
const hostOptions = (host: string) => ({ host, servername: isIP(host) === 0 ? host : '' });

/**
 * Returns a function that opens a WebSocket's connection through an HTTP proxy by CONNECT (RFC 9110). For a wss URL the
 * connection inside the tunnel is encrypted by TLS.
 * @param proxy URL of the proxy, with user and password if it requires them; an https URL is contacted over TLS
 */
export function tunnel(proxy: string, to: 'ws:' | 'wss:'): NonNullable<ClientOptions['createConnection']> {
  const { protocol, hostname, port, username, password } = new URL(proxy);
  const login = [username, password].map(decodeURIComponent).join(':');

  const open = (target: Target, opened: (error: Error | null, socket?: Duplex) => void): undefined => {
    const authority = `${target.host}:${target.port}`;
    const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
    const connectOptions = {
      // Without a server name the proxy's certificate would be checked against the Host header, which names the target.
      ...hostOptions(hostname),
      port,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(username !== '' && { 'proxy-authorization': authorization }) },
      timeout: 10 * second,
    };
    const connectRequest = protocol === 'https:' ? requestSecured(connectOptions) : request(connectOptions);
    connectRequest.once('timeout', () => connectRequest.destroy(new Error('the proxy does not answer')));
    connectRequest.once('error', opened);
    connectRequest.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        return opened(null, to === 'wss:' ? secure({ socket, ...hostOptions(target.host) }) : socket);
      }
      socket.destroy();
      opened(new Error(`the proxy refused ${authority} (HTTP ${statusCode})`));
    });
    connectRequest.end();
    return undefined;
  };
  // ws passes this function to http.request, which also accepts a socket that connects later, although the type forbids it.
  return open as unknown as NonNullable<ClientOptions['createConnection']>;
}
