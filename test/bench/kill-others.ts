import { parseArgs } from 'node:util';
import { appriseEnds } from '../kill/apprise.ts';
import { mailEnds } from '../kill/email.ts';
import { runKills } from '../kill/kill.ts';
import { missed } from '../kill/missed.ts';
import { ntfyEnds } from '../kill/ntfy.ts';
import { type Figure, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

/** Takes minutes. */
export const slow = true;

const starts = { ntfy: ntfyEnds, email: mailEnds, apprise: appriseEnds };

/**
 * `npm run bench -- kill-others -- [--kills 36] [--seed 36]`: on platforms where the bot cannot look for a post, every beginning,
 * worse turn and end comes, and what comes twice is logged.
 */
export default async function killOthers(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '36' }, seed: { type: 'string', default: '36' } },
  });
  const none = (name: string, value: number): Figure => ({ name, value, unit: '', bound: { most: 0 } });
  for (const [notifier, start] of Object.entries(starts)) {
    const kills = Number(values.kills);
    const { verdicts, complaints } = await runKills(
      { kills, seed: Number(values.seed), speed: 4 },
      await start(),
    );
    const verdict = verdicts[notifier];
    if (verdict === undefined) throw new Error(`nobody was sent to: ${complaints}`);
    const { alerts, notifications, doubled, doubledTooOften, unlogged, wrong, forgotten } = verdict;
    report(`killed with SIGKILL, ${notifier}`, [
      { name: 'kills', value: kills, unit: '' },
      { name: 'alerts', value: alerts, unit: '' },
      { name: 'messages', value: notifications, unit: '' },
      none('lost', missed(verdict).length),
      { name: 'twice, in flight at a kill', value: doubled - doubledTooOften.length, unit: '' },
      none('twice otherwise', doubledTooOften.length),
      none('twice and not logged', unlogged.length),
      none('out of order, unasked for, other than it was', wrong.length),
      none('state forgotten, baseline taken anew', forgotten.length),
      load(),
    ]);
  }
}
