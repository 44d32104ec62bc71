import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { appriseEnds } from '../kill/apprise.ts';
import { chatFaults, startChats } from '../kill/chats.ts';
import { mailEnds } from '../kill/email.ts';
import { runFailover } from '../kill/failover.ts';
import { faults, runKills } from '../kill/kill.ts';
import { ntfyEnds } from '../kill/ntfy.ts';
import { runKills as runServiceKills } from '../kill-service/kill.ts';
import { runFailover as runDatabaseFailover } from '../patroni/failover.ts';
import { etcd, patroni, postgresBin } from '../support/needs.ts';
import { serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { figuresOf } from './kill/figures.ts';
import { none as noneOf, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

/** Takes an hour in all. */
export const slow = true;

interface Kills {
  readonly kills: number;
  readonly seed: number;
}

const none = (name: string, value: number) => noneOf(name, value, 'messages');

/** Prints what went wrong; then the bench fails. */
function complain(found: readonly string[]): void {
  for (const fault of found.slice(0, 20)) process.stdout.write(`${fault}\n`);
  if (found.length > 0) process.exitCode = 1;
}

/** What is killed, and what must come of it. */
const parts: Readonly<Record<string, (given: Kills) => Promise<void>>> = {
  async webhooks(given) {
    const outcome = await runKills(given);
    report('killed with SIGKILL, webhooks', figuresOf(outcome));
    complain(faults(outcome));
  },
  /** In half of the kills Discord recognises repeated posts only by the nonce, in the other half only by the last messages. */
  async chats({ kills, seed }) {
    for (const memory of ['nonce', 'last messages'] as const) {
      const outcome = await runKills({ kills: Math.ceil(kills / 2), seed }, await startChats(memory));
      report(`killed with SIGKILL, chats; Discord tells by its ${memory}`, figuresOf(outcome));
      complain(chatFaults(outcome));
    }
  },
  /** Platforms where the bot cannot look for a post: what comes twice is logged. */
  async others(given) {
    for (const [notifier, start] of Object.entries({
      ntfy: ntfyEnds,
      email: mailEnds,
      apprise: appriseEnds,
    })) {
      const outcome = await runKills({ ...given, speed: 4 }, await start());
      report(`killed with SIGKILL, ${notifier}`, figuresOf(outcome));
    }
  },
  async service({ kills, seed }) {
    const outcome = await runServiceKills({ kills: Math.ceil(kills / 10), seed });
    report('the backfill, killed with SIGKILL', [
      { name: 'kills', value: outcome.kills, unit: '' },
      { name: 'archives filled so', value: outcome.archives, unit: '' },
      noneOf('tables that differ', outcome.differences.length),
    ]);
    complain([...outcome.differences, outcome.complaints].filter((line) => line !== ''));
  },
  async failover() {
    const postgres = await servePostgres();
    try {
      const server = await (await serverNoted(postgres.note)).fresh();
      const { killed, frozen, doubledByRestart, verdict } = await runFailover(server);
      report('three processes on one Postgres, until another has all roles of the one that had them', [
        { name: 'killed', value: killed, unit: 's', bound: { most: 10 } },
        { name: 'frozen', value: frozen, unit: 's', bound: { most: 10 } },
        none('lost', verdict.lost.length),
        none('sent twice beyond what was on the wire', verdict.doubledTooOften.length),
        none('sent twice by a rolling restart', doubledByRestart.length),
        load(),
      ]);
    } finally {
      await postgres.stop();
    }
  },
  /** Two processes on two servers under Patroni. What was on the wire when the primary died may come twice on Telegram. */
  async database() {
    const missing = [patroni, etcd, postgresBin].filter((path) => !existsSync(path));
    if (missing.length > 0)
      return console.log(`database: left out, this machine lacks ${missing.join(', ')}`);
    const { elected, resumed, lost, doubled, logged } = await runDatabaseFailover();
    report('the primary of two servers under Patroni, killed', [
      { name: 'until the other server is the primary', value: elected, unit: 's' },
      { name: 'until messages go out again', value: resumed, unit: 's' },
      none('lost', lost.length),
      none('twice on Discord', doubled.discord.length),
      none('twice on Telegram and not logged', Math.max(0, doubled.telegram.length - logged)),
      load(),
    ]);
    complain([...lost, ...doubled.discord]);
  },
};

/**
 * `npm run bench -- kill -- [webhooks chats others service failover database] [--kills 200] [--seed 7]`: no alert is lost, and only the
 * one in flight may come twice.
 */
export default async function kill(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '7' } },
  });
  const wanted = positionals.length === 0 ? Object.keys(parts) : positionals;
  for (const name of wanted) await parts[name]?.({ kills: Number(values.kills), seed: Number(values.seed) });
}
