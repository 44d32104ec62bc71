import { argon2 } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createPasswords, type Derive, defaultCost } from '#src/service/access/password.ts';

const { hash, verify } = createPasswords({ memory: 8, passes: 1, parallelism: 1 });

describe('passwords', () => {
  it('a hash of the reference implementation is accepted', async () => {
    // phc-winner-argon2, src/test.c: argon2id, version 19, 64 MiB, two passes.
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await verify(stored, 'password')).toBe(true);
    expect(await verify(stored, 'Password')).toBe(false);
  });

  it('the same password is stored differently each time, and never in plain text', async () => {
    const [a, b] = [await hash('correct horse'), await hash('correct horse')];
    expect(a).not.toBe(b);
    expect(a).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$[^$]{22}\$[^$]{43}$/);
    expect(a).not.toContain('horse');
    expect([await verify(a, 'correct horse'), await verify(b, 'correct horse')]).toEqual([true, true]);
  });

  it('composed and decomposed letters are equal', async () => {
    const stored = await hash('sch\u00f6ne Gr\u00fc\u00dfe');
    expect(await verify(stored, 'scho\u0308ne Gru\u0308\u00dfe')).toBe(true);
  });

  it.each([
    ['too short', 'x'.repeat(11)],
    ['too long', 'x'.repeat(257)],
  ])('%s is refused, and not repeated', async (_rule, password) => {
    const error = await hash(password).catch((cause: Error) => cause);
    expect(String(error)).toMatch(/from 12 to 256 characters/);
    expect(String(error)).not.toContain(password);
  });

  it('an unknown account takes as much work as a known one, and no password matches', async () => {
    const works: object[] = [];
    const counted: Derive = (algorithm, { message, nonce, ...cost }) => {
      works.push({ algorithm, ...cost });
      return promisify(argon2)(algorithm, { message, nonce, ...cost });
    };
    const usual = createPasswords(defaultCost, counted);
    const stored = await usual.hash('correct horse');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect([await usual.verify(undefined, ''), await usual.verify(stored, '')]).toEqual([false, false]);
    const work = {
      algorithm: 'argon2id',
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    };
    expect(works).toEqual([work, work, work]);
  });
});
