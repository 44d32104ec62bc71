import { isIP } from 'node:net';

/** No inline script or style, nothing from elsewhere; text can become mark-up nowhere (trusted types). */
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
 * Why a request is refused; undefined: it may pass.
 * DNS rebinding needs a name of the attacker's, so only addresses, localhost and configured names are
 * answered; a browser names the page a request comes from, so another site's is told by its Origin.
 */
export function refusal(
  request: {
    readonly host: string | undefined;
    readonly origin: string | undefined;
    readonly fetchSite: string | undefined;
    /** The route's: decoded, without the query. */
    readonly path: string;
    /** It asks for more than an answer, and a browser may have added who asks. */
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
  // The default port is left out by URL on both sides, whatever the scheme a proxy speaks outside.
  const from = request.origin === undefined ? undefined : (URL.parse(request.origin)?.host ?? 'null');
  if (from !== undefined && from !== url.host && from !== request.host?.toLowerCase()) {
    return 'requests from other sites are not taken';
  }
  // Browsers name it with whatever writes: what does not is none of the page's, and may be anybody's.
  if (request.writesByCookie && from === undefined && request.fetchSite !== 'same-origin')
    return 'with a cookie, say by Origin where the request comes from; scripts send Authorization: Bearer';
  const foreign = request.fetchSite === 'cross-site' || request.fetchSite === 'same-site';
  if (foreign && /^\/(api\/|mcp$)/.test(request.path)) return 'requests from other sites are not taken';
  return undefined;
}
