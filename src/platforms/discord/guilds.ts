import { z } from 'zod';
import { msg } from '../../language/text.ts';
import type { Places } from '../ports.ts';

const record = z.object({ here: z.array(z.string()), resting: z.array(z.string()) });
type Record = z.output<typeof record>;

/** Tracks the guilds that the bot joins and leaves, also while the bot is not running. */
export interface Guilds {
  /** Takes the ids of all current guilds. Returns those that are new since the last time; none the very first time. */
  updateAll(ids: readonly string[]): Promise<string[]>;
  /** Records that the bot joined a guild. Returns true if the guild was not known before. */
  recordJoined(id: string): Promise<boolean>;
  recordLeft(id: string): Promise<void>;
}

/** @param scope names the shards of this process: processes with different shards keep separate records */
export function trackGuilds(places: Places, scope: string): Guilds {
  const name = `discord guilds ${scope}`;
  const receivers = (id: string) => places.find({ notifier: 'discord', field: 'guildId', value: id });
  const read = async (): Promise<Record | undefined> => {
    const text = await places.recall(name);
    return text === undefined ? undefined : record.parse(JSON.parse(text));
  };
  const write = (here: ReadonlySet<string>, resting: ReadonlySet<string>) =>
    places.remember(name, JSON.stringify({ here: [...here], resting: [...resting] } satisfies Record));

  // Changes run one after the other, because each reads what the one before wrote.
  let lastChange: Promise<unknown> = Promise.resolve();
  const runInOrder = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = lastChange.then(work, work);
    lastChange = next.catch(() => {});
    return next;
  };

  const change = async (arrived: readonly string[], departed: readonly string[]): Promise<string[]> => {
    const known = await read();
    const here = new Set(known?.here);
    const resting = new Set(known?.resting);
    const newIds = arrived.filter((id) => !here.has(id) && !resting.has(id));
    for (const id of departed) {
      await places.suspend(await receivers(id), msg('Discord: the bot was removed from the server'));
      here.delete(id);
      resting.add(id);
    }
    for (const id of arrived) {
      if (resting.delete(id)) await places.wake(await receivers(id));
      here.add(id);
    }
    await write(here, resting);
    return newIds;
  };

  return {
    updateAll: (ids) =>
      runInOrder(async () => {
        const known = await read();
        const missing = known?.here.filter((id) => !ids.includes(id)) ?? [];
        const fresh = await change(ids, missing);
        // The very first time, no guild counts as new.
        return known === undefined ? [] : fresh;
      }),
    recordJoined: (id) => runInOrder(async () => (await change([id], [])).length > 0),
    recordLeft: (id) => runInOrder(async () => void (await change([], [id]))),
  };
}
