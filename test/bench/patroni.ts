import { existsSync } from 'node:fs';
import { runFailover } from '../patroni/failover.ts';
import { etcd, patroni, postgresBin } from '../support/needs.ts';
import { report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

/** Takes minutes. */
export const slow = true;

/**
 * `npm run bench -- patroni`: two processes of `npm start` on a Postgres of two servers under Patroni, whose primary is
 * killed with SIGKILL while 120 chats get an alert. Does nothing if Debian's `patroni`, `etcd-server` and `postgresql`
 * are not installed.
 */
export default async function failover(): Promise<void> {
  const missing = [patroni, etcd, postgresBin].filter((path) => !existsSync(path));
  if (missing.length > 0) {
    console.log(`patroni: left out, this machine lacks ${missing.join(', ')}`);
    return;
  }
  const { elected, resumed, alerts, messages, lost, doubled, logged } = await runFailover();
  const none = { unit: 'messages', bound: { most: 0 } };
  // Messages that were on the wire when the primary died may come twice on Telegram, so their number has no bound.
  report(
    'fail-over of the database: two processes of npm start on two servers under Patroni, the primary killed',
    [
      { name: 'until the other server is the primary', value: elected, unit: 's' },
      { name: 'until messages go out again', value: resumed, unit: 's' },
      { name: 'alerts, each to 120 chats', value: alerts, unit: '' },
      { name: 'messages', value: messages, unit: '' },
      { name: 'lost', value: lost.length, ...none },
      { name: 'twice on Discord', value: doubled.discord.length, ...none },
      { name: 'twice on Telegram', value: doubled.telegram.length, unit: 'messages' },
      {
        name: 'twice on Telegram and not logged',
        value: Math.max(0, doubled.telegram.length - logged),
        ...none,
      },
      load(),
    ],
  );
  for (const line of [...lost, ...doubled.discord, ...doubled.telegram]) console.log(line);
}
