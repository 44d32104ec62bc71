import { describe, expect, it } from 'vitest';
import { refusal } from '#src/platforms/web/guard.ts';

const cases: readonly (readonly [
  rule: string,
  request: Partial<Parameters<typeof refusal>[0]>,
  passes: boolean,
])[] = [
  ['an IP address as host passes', { host: '127.0.0.1:8080' }, true],
  ['an IPv6 address as host passes', { host: '[::1]:8080' }, true],
  ['localhost passes whatever the port', { host: 'localhost:9999' }, true],
  ['a configured name passes', { host: 'tocsin.example' }, true],
  ['a name of somebody else (DNS rebinding) is refused', { host: 'evil.example:8080' }, false],
  ['a name that ends like an address is refused', { host: '127.0.0.1.evil.example' }, false],
  ['localhost as a part of a name is refused', { host: 'localhost.evil.example' }, false],
  ['a missing host is refused', { host: undefined }, false],
  ['a host that is none is refused', { host: 'a b' }, false],
  ['the own origin passes', { origin: 'http://127.0.0.1:8080' }, true],
  ['the own origin behind TLS passes', { host: 'tocsin.example', origin: 'https://tocsin.example' }, true],
  ["another site's origin is refused", { origin: 'https://evil.example' }, false],
  ['another port is another origin', { origin: 'http://127.0.0.1:9090' }, false],
  ['an opaque origin is refused', { origin: 'null' }, false],
  ['a cross-site request to the API is refused', { fetchSite: 'cross-site', path: '/api/events' }, false],
  ['a same-site request to the API is refused', { fetchSite: 'same-site', path: '/api/events' }, false],
  ['what writes by cookie says where it comes from', { writesByCookie: true }, false],
  [
    'what writes by cookie from the own origin passes',
    { writesByCookie: true, origin: 'http://127.0.0.1:8080' },
    true,
  ],
  ['what writes by cookie from the page passes', { writesByCookie: true, fetchSite: 'same-origin' }, true],
  ['typed into the address bar nothing writes', { writesByCookie: true, fetchSite: 'none' }, false],
  ['a link from another site opens the page', { fetchSite: 'cross-site', path: '/' }, true],
];

describe('requests to the console', () => {
  it.each(cases)('%s', (_rule, request, passes) => {
    const plain = {
      host: '127.0.0.1:8080',
      origin: undefined,
      fetchSite: undefined,
      path: '/api/commands',
      writesByCookie: false,
    };
    const reason = refusal({ ...plain, ...request }, ['tocsin.example']);
    expect(reason === undefined).toBe(passes);
  });
});
