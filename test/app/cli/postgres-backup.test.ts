import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { runRestore } from '#src/app/cli/backup.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { openStore } from '#src/store/open.ts';
import { firing, receiver, start, subscription } from '#test/support/alerts.ts';
import { startDebianPostgres } from '#test/support/debian-postgres.ts';
import { ownFolder } from '#test/support/folder.ts';
import { describeWith, postgresBin } from '#test/support/needs.ts';
import { query } from '#test/support/postgres.ts';
import { enqueued } from '#test/support/posting.ts';

const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const [, section = ''] = operations.split('### Backup and restore\n');
/** The commands that operations.md gives for compose.yaml: to dump, and to restore. */
const [dump = '', restore = ''] = [...section.matchAll(/```sh\n(.*?)```/gs)]
  .map(([, commands = '']) => commands)
  .filter((commands) => commands.includes('docker compose exec -T postgres'));
/** The SQL that operations.md gives for roles and databases. */
const [, roles = ''] = /```sql\n(.*?)```/s.exec(operations) ?? [];

async function setUp() {
  const { folder: host, urlOf, stop } = await startDebianPostgres();
  onTestFinished(stop);
  const folder = await ownFolder();
  // What a container of compose.yaml does is done here; the bots are this process.
  const docker = `docker() { case "$2 $3 $4" in 'exec -T postgres') shift 4; "$@";; esac; }\n`;
  const env = {
    ...process.env,
    PATH: `${postgresBin}:${process.env.PATH}`,
    PGHOST: host,
    PGUSER: 'postgres',
  };
  const run = (commands: string) =>
    promisify(execFile)('bash', ['-c', `set -e\n${docker}${commands}`], { cwd: folder, env });
  for (const statement of roles.split(';\n')) await query(urlOf('postgres', 'postgres'), statement);
  return {
    run,
    bot: urlOf('tocsin', 'tocsin'),
    archive: urlOf('tocsin_archive', 'tocsin_archive'),
  };
}

describeWith('Debian’s PostgreSQL', 'a backup of Postgres by the documented commands', () => {
  it('restores both as they were, with nothing of a newer version, unless a bot is connected', async () => {
    const { run, bot, archive } = await setUp();
    const store = await openStore(bot);
    await store.subscriptions.add(subscription());
    await store.connections.put('pigeon', 'what-was-sealed');
    await enqueued(store, firing());
    const row = { symbol: 'BTCUSDT', time: start, rate: 0.0001 };
    const kept = await openArchive(archive);
    await kept.write('funding', [row]);
    await kept.close();
    await store.close();
    await run(dump);
    // A bot asks its database every second and so stays connected; the pool of an idle store closes its connections.
    const connected = new pg.Client({ connectionString: bot });
    await connected.connect();
    await expect(run(restore)).rejects.toThrow(/database "tocsin" is being accessed by other users/);
    await connected.end();

    const later = "insert into kysely_migration values ('2099-01-01-later', ''); create table later (n int)";
    for (const url of [bot, archive]) await query(url, later);
    await query(bot, 'delete from subscription');
    await expect(openStore(bot)).rejects.toThrow(/newer Tocsin/);
    await run(restore);

    for (const [url, role] of [
      [bot, 'tocsin'],
      [archive, 'tocsin_archive'],
    ] as const) {
      const tables = "select distinct tableowner from pg_tables where schemaname = 'public'";
      expect(await query(url, tables)).toEqual([{ tableowner: role }]);
      expect(await query(url, "select to_regclass('later') as later")).toEqual([{ later: null }]);
      const may = `select has_database_privilege('public', current_database(), 'connect') as may`;
      expect(await query(url, may)).toEqual([{ may: false }]);
    }
    const said: string[] = [];
    const config = { database: bot, data: { embedded: { archive } } } as Parameters<
      typeof runRestore
    >[0]['config'];
    const print = async (text: string) => void said.push(text);
    await runRestore({ config, file: undefined, archive: undefined, mark: true, now: start, print });
    expect(said.join('')).toMatch(/^1 posts waited/);
    const again = await openStore(bot);
    onTestFinished(() => again.close());
    expect(await again.subscriptions.of(receiver())).toHaveLength(1);
    // What connects platforms is in no dump, but its table is.
    expect(await again.connections.all()).toEqual({});
    const archived = await openArchive(archive);
    onTestFinished(() => archived.close());
    expect(await archived.read('funding', { symbol: 'BTCUSDT', window: { from: start, to: start } })).toEqual(
      [row],
    );
  });
});
