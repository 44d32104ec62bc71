import { ActivityType, type Client } from 'discord.js';
import { plainLine } from '../../card/plain.ts';
import { english } from '../../language/languages.ts';
import { second } from '../../runtime/units.ts';
import type { Caller } from '../../shell/command.ts';
import { viewerRights } from '../../shell/rights.ts';
import type { Ports } from '../ports.ts';
import { problem } from './retry.ts';
import { bare } from './text.ts';

/** Wall ms between two activities: a connection takes five in 20 s, and a longer row of them closes it. */
const updateEvery = 20 * second;
/** The longest name of an activity. */
const maxName = 128;

const asker: Caller = {
  receiver: { notifier: 'discord', address: { channelId: '0' } },
  user: 'presence',
  rights: viewerRights,
  language: english,
  timeZone: 'UTC',
};

/** Shows the title of the answer to a question as the bot's activity. Where there is no answer, the last one is taken away. */
export async function keepPresence(
  line: string,
  {
    ask,
    wall,
    log,
    signal,
    client,
  }: Pick<Ports, 'ask' | 'wall' | 'log'> & {
    readonly signal: AbortSignal;
    readonly client: () => Client | undefined;
  },
): Promise<void> {
  let shown: { readonly by: Client; readonly text: string } | undefined;
  while (!signal.aborted) {
    const now = client();
    if (now?.isReady() === true) {
      try {
        const { title, source, failure } = await ask(line, asker);
        // The title is cut, never the source: what is simulated must say so.
        const last = plainLine(source ?? '');
        const text =
          failure === undefined
            ? `${bare(title, maxName - last.length - 3)}${last === '' ? '' : ` · ${last}`}`
            : '';
        if (now.isReady() && (shown?.by !== now || shown.text !== text)) {
          now.user.setPresence({
            activities: text === '' ? [] : [{ type: ActivityType.Watching, name: text }],
          });
          shown = { by: now, text };
        }
      } catch (error) {
        log.warn(problem(error), 'Discord: the activity could not be shown; retrying');
      }
    }
    await wall.sleep(updateEvery, signal).catch(() => {});
  }
}
