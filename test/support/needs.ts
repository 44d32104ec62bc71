import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { chromium } from './chromium.ts';

/** Recordings of the market, in a folder beside the checkout because they are too large for it. */
export const recordings = resolve(import.meta.dirname, '../../../shared/market-data');

/** Debian's package, which includes promtool. */
export const prometheus = '/usr/bin/prometheus';

export const pgbouncer = '/usr/sbin/pgbouncer';

/** Debian's `patroni`, `etcd-server` and `postgresql`. */
export const patroni = '/usr/bin/patroni';
export const etcd = '/usr/bin/etcd';
/** Debian's Postgres, of which several versions may be installed, each in a folder of its number: the newest. */
const postgresVersion = existsSync('/usr/lib/postgresql')
  ? Math.max(...readdirSync('/usr/lib/postgresql').map(Number).filter(Number.isInteger))
  : undefined;
export const postgresBin = `/usr/lib/postgresql/${postgresVersion}/bin`;

/** The programs of Debian's Postgres, which `npm ci` does not install. */
const pgRestore = `${postgresBin}/pg_restore`;

/** The part of the TimescaleDB extension that has its columnstore, which the extension that Debian builds lacks. */
const postgresLibraries = `/usr/lib/postgresql/${postgresVersion}/lib`;
export const timescale = join(
  postgresLibraries,
  (existsSync(postgresLibraries) ? readdirSync(postgresLibraries) : []).find((name) =>
    name.startsWith('timescaledb-tsl-'),
  ) ?? 'timescaledb-tsl',
);

const needs = {
  '../shared/market-data': recordings,
  Chromium: chromium,
  'Debian’s PostgreSQL': pgRestore,
  PgBouncer: pgbouncer,
  Prometheus: prometheus,
  TimescaleDB: timescale,
} as const;

/**
 * Declares a suite that needs a program or data which not every machine has. Without it the suite is skipped, and skipped.ts
 * reads the need from the suite's name.
 */
export const describeWith = (need: keyof typeof needs, what: string, suite: () => void): void =>
  void describe.skipIf(!existsSync(needs[need]))(`${what} [needs ${need}]`, suite);
