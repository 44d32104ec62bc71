import { expect, it } from 'vitest';
import { isNeverSent } from '#src/runtime/never-sent.ts';
import { CalledOff } from '#src/runtime/send-check.ts';

const failure = (fields: object) => Object.assign(new Error('failed'), fields);

it.each([
  ['a refused connection', failure({ code: 'ECONNREFUSED', syscall: 'connect' }), true],
  [
    'refused connections to all addresses',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    true,
  ],
  ['a connection that timed out', failure({ code: 'ETIMEDOUT', syscall: 'connect' }), true],
  ['an unknown name', failure({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }), true],
  ['undici’s timeout of a connection', failure({ code: 'UND_ERR_CONNECT_TIMEOUT' }), true],
  ['an expired certificate', failure({ code: 'CERT_HAS_EXPIRED' }), true],
  ['a certificate of another name', failure({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), true],
  ['a request that was cancelled before it was sent', new CalledOff(), true],
  ['a reset', failure({ code: 'ECONNRESET', syscall: 'read' }), false],
  ['a response that did not come', failure({ code: 'UND_ERR_HEADERS_TIMEOUT' }), false],
  ['a connection that was closed', failure({ code: 'UND_ERR_SOCKET' }), false],
  ['no error', undefined, false],
])('a request failed before it was sent, or may have arrived: %s', (_, error, expected) => {
  expect(isNeverSent(error)).toBe(expected);
});
