import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe } from 'vitest';
import { chromium } from './chromium.ts';

/** Recordings of the market, kept beside the checkout: too large for it. */
export const recordings = resolve(import.meta.dirname, '../../../shared/market-data');

/** Debian's; promtool comes with it. */
export const prometheus = '/usr/bin/prometheus';

export const pgbouncer = '/usr/sbin/pgbouncer';

/** Debian's `patroni`, `etcd-server` and `postgresql`. */
export const patroni = '/usr/bin/patroni';
export const etcd = '/usr/bin/etcd';
export const postgresBin = '/usr/lib/postgresql/15/bin';

/** Of the extension, where it is installed for that Postgres. */
export const timescale = '/usr/share/postgresql/15/extension/timescaledb.control';

const needs = {
  '../shared/market-data': recordings,
  Chromium: chromium,
  PgBouncer: pgbouncer,
  Prometheus: prometheus,
  TimescaleDB: timescale,
} as const;

/** Tests that need what not every machine has; without it they are skipped, and skipped.ts says so by their name. */
export const describeWith = (need: keyof typeof needs, what: string, suite: () => void): void =>
  void describe.skipIf(!existsSync(needs[need]))(`${what} [needs ${need}]`, suite);
