import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openConnections } from '#src/app/config/connections.ts';
import { Secret } from '#src/runtime/secret.ts';
import { openStore } from '#src/store/open.ts';
import { ownFolder } from '#test/support/folder.ts';
import { startPostgres } from '#test/support/postgres.ts';

const token = 'a-token-that-nobody-may-read';
const memoryRows = () => {
  const rows = new Map<string, string>();
  const sealed = {
    all: async () => Object.fromEntries(rows),
    async put(name: string, value: string | undefined) {
      if (value === undefined) rows.delete(name);
      else rows.set(name, value);
    },
  };
  return { rows, sealed };
};
const key = (text = 'a-key-of-the-operator') => new Secret(text);

describe('beside a SQLite file', () => {
  const besideFile = async (given: Secret | null = null) => {
    const database = join(await ownFolder(), 'tocsin.db');
    const open = (other = given) =>
      openConnections({ database: `file:${database}`, key: other, ...memoryRows() });
    return { open, file: `${database}.connections` };
  };

  it('only their owner may read the connections, whatever the file’s mode became', async () => {
    const { open, file } = await besideFile();
    await open().put('pigeon', { token });
    await open().put('dove', { token: 'another' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    expect((await open().read()).given).toEqual({ pigeon: { token }, dove: { token: 'another' } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await open().put('pigeon', undefined);
    expect(await readFile(file, 'utf8')).not.toContain(token);
  });

  it('a draft that a killed process left is neither read nor kept', async () => {
    const { open, file } = await besideFile();
    await open().put('pigeon', { token });
    await writeFile(`${file}.new`, '{"pigeon":{"tok');
    expect((await open().read()).given).toEqual({ pigeon: { token } });
    await expect(stat(`${file}.new`)).rejects.toThrow('ENOENT');
  });

  it.each(['{"pigeon":', '[]', '{"pigeon":5}', '{"pigeon":"not.a.sealed.text"}', 'not.a.sealed.text', '\0'])(
    'what cannot be read (%j) is none, is said to be there, and can be replaced or forgotten',
    async (text) => {
      const { open, file } = await besideFile();
      await writeFile(file, text);
      const kept = await open().read();
      expect([kept.given, kept.isUnreadable('pigeon')]).toEqual([{}, true]);
      await open().put('pigeon', { token });
      const again = await open().read();
      expect([again.given, again.isUnreadable('pigeon')]).toEqual([{ pigeon: { token } }, false]);
      await writeFile(file, text);
      await open().put('pigeon', undefined);
      expect([(await open().read()).given, (await open().read()).isUnreadable('pigeon')]).toEqual([
        {},
        false,
      ]);
    },
  );

  it('under another key, what one platform is given leaves what the others have for their own key', async () => {
    const { open, file } = await besideFile();
    await open(key()).put('dove', { token });
    await open(key('another-key-of-theirs')).put('pigeon', { token });
    const kept = await open(key()).read();
    expect([kept.given, kept.isUnreadable('pigeon')]).toEqual([{ dove: { token } }, true]);
    expect(await readFile(file, 'utf8')).not.toContain(token);
  });

  it('a file that cannot be read at all is no empty one, and is not written', async () => {
    const { open, file } = await besideFile();
    await mkdir(file);
    await expect(open().read()).rejects.toThrow('cannot be read');
    await expect(open().put('pigeon', { token })).rejects.toThrow('cannot be read');
  });

  it('reading while another is kept neither breaks the writing nor sees half of it', async () => {
    const { open } = await besideFile();
    const connections = open();
    let busy = true;
    const reading = (async () => {
      while (busy) expect((await connections.read()).isUnreadable('pigeon')).toBe(false);
    })();
    for (let n = 0; n < 30; n += 1) await connections.put('pigeon', { token, n });
    busy = false;
    await reading;
    expect((await connections.read()).given).toEqual({ pigeon: { token, n: 29 } });
  });
});

describe('in Postgres', () => {
  const inPostgres = (given: Secret | null, { sealed }: Pick<ReturnType<typeof memoryRows>, 'sealed'>) =>
    openConnections({ database: 'postgres://example.org/tocsin', key: given, sealed });

  it('no token is kept without a key, and the remedy names it; to forget one needs none', async () => {
    const kept = memoryRows();
    await expect(inPostgres(null, kept).put('pigeon', { token })).rejects.toThrow('TOCSIN_CONNECTIONS_KEY');
    expect(kept.rows.size).toBe(0);
    await inPostgres(key(), kept).put('pigeon', { token });
    await inPostgres(null, kept).put('pigeon', undefined);
    expect(kept.rows.size).toBe(0);
  });

  it('what is kept says nothing without the key, and a changed letter of it is noticed', async () => {
    const kept = memoryRows();
    await inPostgres(key(), kept).put('pigeon', { token });
    const [sealed = ''] = kept.rows.values();
    expect(sealed).not.toContain(Buffer.from(token).toString('base64url').slice(0, 12));
    expect((await inPostgres(key(), kept).read()).given).toEqual({ pigeon: { token } });
    for (const other of [key('another-key-of-theirs'), null]) {
      const read = await inPostgres(other, kept).read();
      expect([read.given, read.isUnreadable('pigeon'), read.isUnreadable('dove')]).toEqual([{}, true, false]);
    }
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), async (at) => {
        const letter = sealed[at] === 'A' ? 'B' : 'A';
        kept.rows.set('pigeon', sealed.slice(0, at) + letter + sealed.slice(at + 1));
        const { given } = await inPostgres(key(), kept).read();
        // Of the last letter of a part, not every bit counts.
        expect([{}, { pigeon: { token } }]).toContainEqual(given);
      }),
      { numRuns: 20 },
    );
  });

  it('what is kept for one platform is not taken for another’s', async () => {
    const kept = memoryRows();
    await inPostgres(key(), kept).put('pigeon', { token });
    kept.rows.set('dove', kept.rows.get('pigeon') ?? '');
    const read = await inPostgres(key(), kept).read();
    expect([read.given, read.isUnreadable('dove')]).toEqual([{ pigeon: { token } }, true]);
  });

  it('a key is derived once for what stays the same, however often that is read', async () => {
    const kept = memoryRows();
    await inPostgres(key(), kept).put('pigeon', { token });
    kept.rows.set('dove', `${kept.rows.get('pigeon')}x`);
    const connections = inPostgres(key(), kept);
    const lasts = async (work: () => Promise<unknown>) => {
      const began = performance.now();
      await work();
      return performance.now() - began;
    };
    // The first read derives both keys, each for some 50 ms; all others together do not take as long as to derive them thrice.
    const first = await lasts(() => connections.read());
    const others = await lasts(async () => {
      for (let n = 0; n < 40; n += 1) await connections.read();
    });
    expect(others).toBeLessThan(3 * first);
  });

  it('of processes that connect different platforms at once, each keeps what it was given', async () => {
    const url = await (await startPostgres()).fresh();
    const stores = await Promise.all(['a', 'b', 'c'].map(() => openStore(url)));
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    const processes = stores.map((store) => inPostgres(key(), { sealed: store.connections }));
    await Promise.all(processes.map((each, at) => each.put(`platform ${at}`, { token: `${token} ${at}` })));
    for (const each of processes)
      expect((await each.read()).given).toEqual(
        Object.fromEntries(processes.map((_, at) => [`platform ${at}`, { token: `${token} ${at}` }])),
      );
  });
});
