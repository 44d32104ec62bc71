import { describe, expect, it } from 'vitest';
import { createAccess } from '#src/platforms/web/access.ts';
import { Secret } from '#src/runtime/secret.ts';
import { day } from '#src/runtime/units.ts';

const operator = 'the-operators-own-token';
const viewer = 'the-viewers-own-token';
const start = Date.UTC(2026, 0, 1);

function access(given: { token?: string | null; viewerToken?: string | null; at?: number } = {}) {
  const { token = operator, viewerToken = viewer, at = start } = given;
  const secret = (text: string | null) => (text === null ? null : new Secret(text));
  return createAccess({ token: secret(token), viewerToken: secret(viewerToken) }, () => at);
}
const cookieOf = (entered: string | undefined) => entered?.split('; ')[0] ?? '';
const session = (token: string, secure = false) => cookieOf(access().startSession(token, secure));

describe('access is given to', () => {
  it.each([
    ['the operator by token', { authorization: `Bearer ${operator}` }, 'operator'],
    ['a viewer by token', { authorization: `Bearer ${viewer}` }, 'viewer'],
    ['the operator by cookie', { cookie: session(operator) }, 'operator'],
    ['a viewer by cookie', { cookie: `a=b; ${session(viewer)}; c=d` }, 'viewer'],
    ['a viewer by cookie over TLS', { cookie: session(viewer, true) }, 'viewer'],
    ['nobody without', {}, undefined],
    ['nobody by another token', { authorization: 'Bearer another', cookie: session(operator) }, undefined],
    ['nobody by the token as a cookie', { cookie: `tocsin=${operator}` }, undefined],
    [
      'nobody by a cookie of another name',
      { cookie: session(operator).replace('tocsin', 'other') },
      undefined,
    ],
    ['nobody by an empty cookie', { cookie: 'tocsin=' }, undefined],
  ])('%s', (_, headers, role) => {
    expect(access().roleOf(headers)).toBe(role);
  });

  it('everyone as operator if there is no token', () => {
    const open = access({ token: null, viewerToken: null });
    expect([open.isOpen, open.roleOf({}), open.startSession(operator, false)]).toEqual([
      true,
      'operator',
      undefined,
    ]);
  });

  it('nobody as viewer if there is no viewer’s token', () => {
    expect(access({ viewerToken: null }).roleOf({ authorization: `Bearer ${viewer}` })).toBeUndefined();
    expect(access({ viewerToken: null }).roleOf({ cookie: session(viewer) })).toBeUndefined();
  });
});

describe('a session', () => {
  const cookie = session(viewer);
  it('ends after 30 days, even if the browser keeps the cookie', () => {
    expect(access({ at: start + 30 * day - 1_000 }).roleOf({ cookie })).toBe('viewer');
    expect(access({ at: start + 30 * day }).roleOf({ cookie })).toBeUndefined();
  });

  it('cannot be extended or turned into another role by its owner', () => {
    const longer = cookie.replace(/=\d+/, `=${Math.floor((start + 300 * day) / 1_000)}`);
    expect(access().roleOf({ cookie: longer })).toBeUndefined();
    expect(session(viewer)).not.toBe(session(operator));
  });

  it('ends when its token changes', () => {
    expect(access({ viewerToken: 'another-viewers-token' }).roleOf({ cookie })).toBeUndefined();
    expect(access({ token: 'another-operators-token' }).roleOf({ cookie })).toBe('viewer');
  });

  it('over TLS is bound to this host, and precedes a cookie that another host has set', () => {
    expect(access().startSession(operator, true)).toMatch(
      /^__Host-tocsin=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(access().roleOf({ cookie: `${session(operator)}; ${session(viewer, true)}` })).toBe('viewer');
  });
});
