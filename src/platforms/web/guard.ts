import { isIP } from 'node:net';

/** Forbids inline scripts and styles and content from other origins; text never becomes mark-up (trusted types). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const securityHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Returns why a request is refused, or undefined if it may pass. DNS rebinding needs a host name of the attacker, so
 * only IP addresses, localhost and configured names are accepted as Host. A browser sends the origin of the page that
 * makes a request, so requests of other sites are recognised by their Origin.
 */
export function refusal(
  request: {
    readonly host: string | undefined;
    readonly origin: string | undefined;
    readonly fetchSite: string | undefined;
    /** Path of the request, decoded, without the query. */
    readonly path: string;
    /** The request changes something, and its cookie may have been added by a browser. */
    readonly writesByCookie: boolean;
  },
  hosts: readonly string[],
): string | undefined {
  const url = request.host === undefined ? null : URL.parse(`http://${request.host}`);
  if (url === null) return 'the Host header is missing or wrong';
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 0 && name !== 'localhost' && !hosts.includes(name)) {
    return `the console is not served under the name "${name}"; the operator can add it to http.hosts`;
  }
  // URL drops the default port on both sides, whichever scheme a proxy uses towards the client.
  const from = request.origin === undefined ? undefined : (URL.parse(request.origin)?.host ?? 'null');
  if (from !== undefined && from !== url.host && from !== request.host?.toLowerCase()) {
    return 'requests from other sites are not taken';
  }
  // Browsers send Origin with every request that writes: one without it does not come from the page.
  if (request.writesByCookie && from === undefined && request.fetchSite !== 'same-origin')
    return 'with a cookie, say by Origin where the request comes from; scripts send Authorization: Bearer';
  const foreign = request.fetchSite === 'cross-site' || request.fetchSite === 'same-site';
  if (foreign && /^\/(api\/|mcp$)/.test(request.path)) return 'requests from other sites are not taken';
  return undefined;
}
