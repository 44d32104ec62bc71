import { runFailover } from '../kill/failover.ts';
import { serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

/** `npm run bench -- failover`: how long it takes until other processes have the roles of a killed and of a frozen one. */
export default async function failover(): Promise<void> {
  const postgres = await servePostgres();
  try {
    const { killed, frozen, doubledByRestart, verdict } = await runFailover(
      await (await serverNoted(postgres.note)).fresh(),
    );
    const none = { unit: 'messages', bound: { most: 0 } };
    report(
      'fail-over: three processes on one Postgres, until another has all roles of the one that had them',
      [
        { name: 'killed', value: killed, unit: 's', bound: { most: 10 } },
        { name: 'frozen', value: frozen, unit: 's', bound: { most: 10 } },
        { name: 'lost', value: verdict.lost.length, ...none },
        { name: 'sent twice beyond what was on the wire', value: verdict.doubledTooOften.length, ...none },
        { name: 'sent twice by a rolling restart', value: doubledByRestart.length, ...none },
        load(),
      ],
    );
  } finally {
    await postgres.stop();
  }
}
