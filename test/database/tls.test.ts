import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { TLSSocket } from 'node:tls';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '#src/database/postgres.ts';
import { openStore } from '#src/store/open.ts';
import { receiver } from '#test/support/alerts.ts';
import { startPostgres } from '#test/support/postgres.ts';

const tls = resolve(import.meta.dirname, '../fixtures/tls');
const [key, cert] = ['key.pem', 'certificate.pem'].map((name) => readFileSync(join(tls, name)));

let fresh: () => Promise<string>;
beforeAll(async () => {
  ({ fresh } = await startPostgres());
});

/** The first message of a client: an SSLRequest is a length of 8 and this code. */
const sslRequest = 80_877_103;

/** Starts a proxy before Postgres that offers TLS or refuses it. Returns its URL, and counts the encrypted connections. */
async function behind(offers: 'TLS' | 'no TLS') {
  const inner = new URL(await fresh());
  let encrypted = 0;
  const sockets: Socket[] = [];
  const pass = (from: Socket | TLSSocket) => {
    const to = connect(Number(inner.port), inner.hostname);
    sockets.push(to);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
    from.pipe(to).pipe(from);
  };
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', (first: Buffer) => {
      const asks = first.length === 8 && first.readInt32BE(4) === sslRequest;
      if (!asks) socket.destroy();
      else if (offers === 'no TLS') socket.end('N');
      else {
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, key, cert });
        secure.on('error', () => {});
        secure.once('secure', () => {
          encrypted += 1;
        });
        pass(secure);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  return {
    url: (query: string, host = '127.0.0.1') =>
      `${Object.assign(new URL(inner), { port, hostname: host }).href}${query}`,
    encrypted: () => encrypted,
  };
}

const trusted = `sslrootcert=${join(tls, 'certificate.pem')}`;

describe('Postgres over TLS', () => {
  it('is encrypted if the URL says so, and its certificate is checked', async () => {
    const { url, encrypted } = await behind('TLS');
    const database = await openPostgres<unknown>(url(`?sslmode=verify-full&${trusted}`), { access: 'write' });
    expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }]);
    await database.close();
    expect(encrypted()).toBeGreaterThan(0);
  });

  it.each([
    ['whose certificate nobody trusts', ''],
    ['whose certificate is another name’s', `&${trusted}`],
  ])('does not become right by waiting with a server %s', async (_, query) => {
    const { url } = await behind('TLS');
    const refused = openPostgres<unknown>(url(`?sslmode=verify-full${query}`, 'localhost'), {
      access: 'write',
    });
    await expect(refused).rejects.toMatchObject({ mayPass: false });
  });

  it.each<[string, 'TLS' | 'no TLS', string, string?]>([
    ['whose certificate nobody trusts', 'TLS', '?sslmode=verify-full'],
    ['whose certificate is another name’s', 'TLS', `?sslmode=verify-full&${trusted}`, 'localhost'],
    ['that has no TLS', 'no TLS', `?sslmode=verify-full&${trusted}`],
    ['that wants TLS, by a URL without it', 'TLS', ''],
  ])(
    'is not used with a server %s, and the error contains nothing of the URL',
    async (_, offers, query, host) => {
      const { url } = await behind(offers);
      const refused = openPostgres<unknown>(url(query, host), { access: 'write' });
      await expect(refused).rejects.toThrow(/^Postgres cannot be reached: .*sslmode/);
      await expect(refused).rejects.not.toThrow(/tocsin:tocsin/);
    },
  );
});

it('the roles in docs/operations.md suffice for the bot and give no access to another’s database', async () => {
  const [, text = ''] =
    /```sql\n([^`]*)```/.exec(
      readFileSync(resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8'),
    ) ?? [];
  const admin = new URL(await fresh());
  // Roles and databases belong to the whole server, which other tests use too.
  const own = randomUUID().slice(0, 8);
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  for (const statement of text.replaceAll('tocsin', `tocsin_${own}`).split(';'))
    if (statement.trim() !== '') await client.query(statement);
  await client.end();
  const as = (user: string, database: string) =>
    Object.assign(new URL(admin), { username: user, password: '…', pathname: `/${database}` }).href;
  const [bot, archive] = [`tocsin_${own}`, `tocsin_${own}_archive`];

  const store = await openStore(as(bot, bot));
  onTestFinished(() => store.close());
  expect(await store.watchlist.of(receiver())).toEqual([]);
  await expect(openPostgres(as(bot, archive), { access: 'write' })).rejects.toThrow(/cannot be reached/);
  await expect(openPostgres(as(archive, bot), { access: 'write' })).rejects.toThrow(/cannot be reached/);
});
