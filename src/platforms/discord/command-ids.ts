import { z } from 'zod';
import { parseJson } from '../../runtime/parse-json.ts';
import { second } from '../../runtime/units.ts';
import type { NotifierPorts } from '../ports.ts';
import { snowflake } from './post-body.ts';
import { type CommandIds, noCommandIds } from './text.ts';

/** The commands that are registered, and where: in one guild, or (absent) everywhere. */
const registered = z.object({
  application: z.string(),
  guild: z.string().optional(),
  /** Of what was registered. */
  hash: z.string(),
  ids: z.record(z.string(), snowflake),
});

export type Registered = z.output<typeof registered>;

/** The name under which they are stored. */
export const storedName = 'discord commands';

export const readRegistered = (text = ''): Registered | undefined =>
  registered.safeParse(parseJson(text)).data;

/** How long what is stored may be newer than what is known of it: another process may register the commands. */
const readEvery = 10 * second;

/**
 * Returns a function that tells the ids of the commands in a guild, or in a direct message. It never waits: until they have been
 * read, there are none.
 */
export function followCommandIds({
  recall,
  steady,
}: Pick<NotifierPorts, 'recall' | 'steady'>): (guildId: string | undefined) => CommandIds {
  let known: { readonly guild: string | undefined; readonly ids: CommandIds } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async () => {
    const found = readRegistered(await recall(storedName));
    known = found && { guild: found.guild, ids: new Map(Object.entries(found.ids)) };
  };
  const tell = (guildId: string | undefined): CommandIds => {
    if (steady.now() - readAt >= readEvery) {
      readAt = steady.now();
      // While the database is away, what was read last stays.
      void read().catch(() => {});
    }
    return known === undefined || (known.guild ?? guildId) !== guildId ? noCommandIds : known.ids;
  };
  tell(undefined);
  return tell;
}
