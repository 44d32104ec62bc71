import type { ApiError } from '../../runtime/errors.ts';

/** What is not as the code expects, and what a person can do about it. */
export interface LiveFinding {
  readonly problem: string;
  readonly remedy: string;
}

const proxyHint = 'set data.embedded.live.proxy (TOCSIN_PROXY), or choose another venue (data.venue)';
const reportIt = 'update Tocsin, or send this report to its developers; until then this data is missing';

/** Sentences by what an error of the network says of itself, most specific first. */
const networkFindings: readonly (readonly [RegExp, LiveFinding])[] = [
  [
    /proxy/i,
    { problem: 'the proxy refused', remedy: 'check the proxy’s address, user and password (TOCSIN_PROXY)' },
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    {
      problem: 'its name is not known (DNS)',
      remedy: `check this machine’s DNS and network, and the address; if only this name is not known, ${proxyHint}`,
    },
  ],
  [
    /ECONNREFUSED/,
    {
      problem: 'nothing accepts the connection',
      remedy: 'check the address, the proxy and the firewall of this machine',
    },
  ],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|socket hang up|other side closed|closed \(1006\)/,
    {
      problem: 'the connection was cut off',
      remedy: `try again; if it stays so, something on the way blocks it: ${proxyHint}`,
    },
  ],
  [
    /CERT|certificate|SELF_SIGNED|ERR_TLS/i,
    {
      problem: 'its certificate is not trusted',
      remedy:
        'something reads the connection: trust its authority by NODE_EXTRA_CA_CERTS, or use another network',
    },
  ],
  [
    /TimeoutError|TIMEOUT|ETIMEDOUT|timed out/,
    {
      problem: 'no answer in time',
      remedy: `try again; if it stays so, check the network, or ${proxyHint}`,
    },
  ],
  [
    /EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/,
    { problem: 'there is no way to it', remedy: 'check the network of this machine' },
  ],
  [
    /Unexpected server response: (?:403|451)/,
    {
      problem: 'the stream refuses this address',
      remedy: `it does not serve this country or network: ${proxyHint}`,
    },
  ],
  [
    /Unexpected server response: (?:418|429)/,
    { problem: 'the stream refuses more connections', remedy: 'wait ten minutes and try again' },
  ],
  [
    /Unexpected server response: 4\d\d/,
    {
      problem: 'the stream’s address is not known there',
      remedy: `check the address; if it is right, ${reportIt}`,
    },
  ],
];

const networkFinding = (text: string): LiveFinding | undefined =>
  networkFindings.find(([pattern]) => pattern.test(text))?.[1];

/** Returns all messages and codes of an error and of its causes. */
function textOf(error: unknown): string {
  const texts: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    texts.push(each.name, each.message, String((each as { code?: unknown }).code ?? ''));
    if (each instanceof AggregateError) texts.push(...each.errors.map(textOf));
  }
  return texts.join(' ');
}

/** Returns what a failed request means. `heard`: what the client says, without the name of the path. */
export function requestFinding(error: ApiError): LiveFinding {
  const heard = error.message.slice(error.endpoint.length + 2);
  switch (error.reason) {
    case 'unreachable':
      return (
        networkFinding(textOf(error.cause)) ?? {
          problem: 'no answer that can be read',
          remedy: `check the address; if it is right, check the network, or ${proxyHint}`,
        }
      );
    case 'unauthorized':
      return {
        problem: heard,
        remedy: `this address or country is not served, or the key is wrong: ${proxyHint}, or run Tocsin elsewhere`,
      };
    case 'rate_limited':
      return {
        problem: heard,
        remedy:
          'wait until then before anything asks again; another program at this address may have used the limit up',
      };
    case 'malformed':
      return error.field === undefined
        ? {
            problem: heard,
            remedy:
              'open the address in a browser: a proxy, a login page or the venue’s maintenance may answer',
          }
        : changed(heard);
    case 'invalid_request':
      return { problem: `${heard}: the question is refused`, remedy: reportIt };
    default:
      return /HTTP (?:404|410)\b/.test(heard)
        ? {
            problem: `${heard.split(':')[0]}: the path is gone`,
            remedy: `check the address; if it is right, ${reportIt}`,
          }
        : {
            problem: heard.replace(': asked again on schedule', ''),
            remedy: 'the venue has trouble or maintenance: run the check again later',
          };
  }
}

export const streamFinding = (problem: string): LiveFinding =>
  networkFinding(problem) ?? { problem, remedy: `try again; if it stays so, ${proxyHint}` };

/** Returns what an issue of a schema means: a field is missing, has another type or another label. */
export function changed(issue: string): LiveFinding {
  const [, field, message = ''] = /field "([^"]*)": (.*)/s.exec(issue) ?? [];
  if (field === undefined) return { problem: issue, remedy: reportIt };
  const [, expected, received] = /expected (.+), received (.+)$/.exec(message) ?? [];
  const name = field === '' ? 'the answer' : `the field "${field}"`;
  if (received === 'undefined') return { problem: `${name} is missing`, remedy: reportIt };
  if (received !== undefined) return { problem: `${name} is ${received}, not ${expected}`, remedy: reportIt };
  return { problem: `${name} is not as promised: ${message}`, remedy: reportIt };
}

export const newLabel = (field: string, values: readonly string[]): LiveFinding => ({
  problem: `the field "${field}" has labels that are not known: ${values.join(', ')}`,
  remedy: 'markets with such a label are left out: update Tocsin, or send this report to its developers',
});

export const noRows: LiveFinding = {
  problem: 'it answered without a row that can be used',
  remedy: reportIt,
};

export const slow = (ms: number): LiveFinding => ({
  problem: `it took ${(ms / 1_000).toFixed(1)} s`,
  remedy: 'above 15 s the service gives up: try again; if it stays so, check the network or the proxy',
});

export const silent = (seconds: number): LiveFinding => ({
  problem: `connected, but no event came in ${seconds} s`,
  remedy:
    'on a quiet market there may be none for so long: check again with --listen 300; if none comes then, the address no longer sends any: update Tocsin, or send this report',
});
