import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Secret, scrub } from '#src/runtime/secret.ts';
import { webUrl } from '#test/support/web-url.ts';

it.each([
  ['postgres://me:hunter2@db/x', 'postgres://[secret]@db/x'],
  ['at "http://me:p@ss/w#rd@host:80/x" now', 'at "http://[secret]@host:80/x" now'],
  ['socks5://token@proxy', 'socks5://[secret]@proxy'],
  ['http://host:80/x and me@example.org', 'http://host:80/x and me@example.org'],
  ['file:///node_modules/@scope/x.js:1:2', 'file:///node_modules/@scope/x.js:1:2'],
])('the password in %s is not shown', (text, shown) => {
  expect(scrub(text)).toBe(shown);
});

it('a password in a URL is not shown, whatever characters it contains', () => {
  fc.assert(
    fc.property(webUrl, fc.string({ minLength: 1, maxLength: 20 }), (url, random) => {
      const password = `<${random}>`.replaceAll(/[\s"'<>]/g, '_');
      const given = url.replace('://', `://me:${password}@`);
      expect(scrub(`the connection to ${given} failed`)).not.toContain(`me:${password}`);
    }),
  );
});

it('a token is not shown, wherever it occurs', () => {
  const token = new Secret('a-token/of mine');
  expect(`${token} ${JSON.stringify({ token })}`).toBe('[secret] {"token":"[secret]"}');
  expect(scrub(`GET /x?t=${encodeURIComponent(token.reveal())} for ${token.reveal()}`)).not.toMatch(/mine/);
});
