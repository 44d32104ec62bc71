import { parseArgs } from 'node:util';
import { chatFaults, startChats } from '../kill/chats.ts';
import { runKills } from '../kill/kill.ts';
import { figuresOf } from './kill/figures.ts';
import { report } from './measuring/figures.ts';

/** Takes minutes. */
export const slow = true;

/**
 * `npm run bench -- kill-chats -- [--kills 200] [--seed 7]`: no message is lost. On Discord none comes twice: in half of
 * the kills Discord recognises repeated posts only by the nonce, in the other half only by the last messages. On
 * Telegram the message in flight may come twice, and is logged.
 */
export default async function killChats(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '7' } },
  });
  for (const memory of ['nonce', 'last messages'] as const) {
    const outcome = await runKills(
      { kills: Math.ceil(Number(values.kills) / 2), seed: Number(values.seed) },
      await startChats(memory),
    );
    report(`killed with SIGKILL, chats; Discord tells by its ${memory}`, figuresOf(outcome));
    const found = chatFaults(outcome);
    for (const fault of found.slice(0, 20)) process.stdout.write(`${fault}\n`);
    if (found.length > 0) process.exitCode = 1;
  }
}
