import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openConnections } from '#src/app/config/connections.ts';
import { Secret } from '#src/runtime/secret.ts';
import { ownFolder } from '#test/support/folder.ts';

const token = 'a-token-that-nobody-may-read';
const memorySettings = () => {
  const rows = new Map<string, string>();
  return {
    rows,
    settings: {
      get: async (name: string) => rows.get(name),
      put: async (name: string, value: string) => void rows.set(name, value),
    },
  };
};
const key = (text = 'a-key-of-the-operator') => new Secret(text);

describe('beside a SQLite file', () => {
  const besideFile = async (given: Secret | null = null) => {
    const database = join(await ownFolder(), 'tocsin.db');
    const { settings } = memorySettings();
    const open = () => openConnections({ database: `file:${database}`, key: given, settings });
    return { open, file: `${database}.connections` };
  };

  it('only their owner may read the connections, whatever the file’s mode became', async () => {
    const { open, file } = await besideFile();
    await open().put('pigeon', { token });
    await open().put('dove', { token: 'another' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    expect(await open().read()).toEqual({ pigeon: { token }, dove: { token: 'another' } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await open().put('pigeon', undefined);
    expect(await readFile(file, 'utf8')).not.toContain(token);
  });

  it('a draft that a killed process left is neither read nor kept', async () => {
    const { open, file } = await besideFile();
    await open().put('pigeon', { token });
    await writeFile(`${file}.new`, '{"pigeon":{"tok');
    expect(await open().read()).toEqual({ pigeon: { token } });
    await expect(stat(`${file}.new`)).rejects.toThrow('ENOENT');
  });

  it.each(['{"pigeon":', '[]', '{"pigeon":5}', 'not.a.sealed.text', '\0'])(
    'what cannot be read (%j) is said without what it says, and is not overwritten',
    async (text) => {
      const { open, file } = await besideFile();
      await writeFile(file, text);
      await expect(open().read()).rejects.toThrow('connect them anew');
      await expect(open().put('pigeon', { token })).rejects.toThrow('connect them anew');
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );
});

describe('in Postgres', () => {
  const inPostgres = (given: Secret | null, { settings } = memorySettings()) =>
    openConnections({ database: 'postgres://example.org/tocsin', key: given, settings });

  it('no token is kept without a key, and the remedy names it', async () => {
    const { settings, rows } = memorySettings();
    await expect(inPostgres(null, { settings, rows }).put('pigeon', { token })).rejects.toThrow(
      'TOCSIN_CONNECTIONS_KEY',
    );
    expect(rows.size).toBe(0);
  });

  it('what is kept says nothing without the key, and a changed letter of it is noticed', async () => {
    const kept = memorySettings();
    await inPostgres(key(), kept).put('pigeon', { token });
    const [sealed = ''] = kept.rows.values();
    expect(sealed).not.toContain(Buffer.from(token).toString('base64url').slice(0, 12));
    expect(await inPostgres(key(), kept).read()).toEqual({ pigeon: { token } });
    await expect(inPostgres(key('another-key-of-theirs'), kept).read()).rejects.toThrow(
      'TOCSIN_CONNECTIONS_KEY',
    );
    await expect(inPostgres(null, kept).read()).rejects.toThrow('TOCSIN_CONNECTIONS_KEY');
    const name = [...kept.rows.keys()][0] ?? '';
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), async (at) => {
        const letter = sealed[at] === 'A' ? 'B' : 'A';
        kept.rows.set(name, sealed.slice(0, at) + letter + sealed.slice(at + 1));
        const read = await inPostgres(key(), kept)
          .read()
          .catch(() => 'noticed');
        // Of the last letter of a part, not every bit counts.
        expect(['noticed', { pigeon: { token } }]).toContainEqual(read);
      }),
      { numRuns: 20 },
    );
  });
});
