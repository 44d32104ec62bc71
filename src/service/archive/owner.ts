import { randomUUID } from 'node:crypto';
import { ConfigError } from '../../runtime/errors.ts';
import type { Archive } from './archive.ts';

const runKey = 'run';

/** Returns the id of the market's run: it was made with the archive, and is kept as long. Undefined: nobody has claimed it. */
export const runOf = async (archive: Pick<Archive, 'get'>): Promise<string | undefined> => {
  const run = await archive.get(runKey);
  return typeof run === 'string' ? run : undefined;
};

/**
 * Marks the archive as belonging to this market, and the market's run by an id. An archive belongs to one market, because
 * rows of two would contradict each other.
 * @throws ConfigError if the archive belongs to another market
 */
export async function claimArchive(archive: Archive, market: string): Promise<void> {
  const problem = await ownerProblem(archive, market);
  if (problem !== null) throw new ConfigError([problem]);
  await archive.put('market', market);
  if ((await runOf(archive)) === undefined) await archive.put(runKey, randomUUID());
}

/** Returns why the archive cannot be used for this market; null if the archive is this market's or nobody's. */
export async function ownerProblem(archive: Pick<Archive, 'get'>, market: string): Promise<string | null> {
  const owner = (await archive.get('market')) ?? market;
  return owner === market
    ? null
    : `The data service's archive holds the ${String(owner)} market, not the ${market} one: ` +
        'point TOCSIN_ARCHIVE_URL at another archive, or delete this one to start over.';
}
