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

/** Whose certificate is asked for: an address is no server's name (RFC 6066). */
const named = (host: string) => ({ host, servername: isIP(host) === 0 ? host : '' });

/**
 * Opens a socket's connection through an HTTP proxy by CONNECT (RFC 9110); to a wss URL it is secured inside.
 * @param proxy its URL, with user and password where it wants them; one of https is itself spoken to over TLS
 */
export function tunnel(proxy: string, to: 'ws:' | 'wss:'): NonNullable<ClientOptions['createConnection']> {
  const { protocol, hostname, port, username, password } = new URL(proxy);
  const login = [username, password].map(decodeURIComponent).join(':');

  const open = (target: Target, opened: (error: Error | null, socket?: Duplex) => void): undefined => {
    const authority = `${target.host}:${target.port}`;
    const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
    const asked = {
      // Without it the certificate would be held against the Host header, which names the target.
      ...named(hostname),
      port,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(username !== '' && { 'proxy-authorization': authorization }) },
      timeout: 10 * second,
    };
    const asking = protocol === 'https:' ? requestSecured(asked) : request(asked);
    asking.once('timeout', () => asking.destroy(new Error('the proxy does not answer')));
    asking.once('error', opened);
    asking.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        return opened(null, to === 'wss:' ? secure({ socket, ...named(target.host) }) : socket);
      }
      socket.destroy();
      opened(new Error(`the proxy refused ${authority} (HTTP ${statusCode})`));
    });
    asking.end();
    return undefined;
  };
  // ws hands this to http.request, which also takes what is connected later, unlike the type says.
  return open as unknown as NonNullable<ClientOptions['createConnection']>;
}
