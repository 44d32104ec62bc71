import { z } from 'zod';
import { msg } from '../../language/text.ts';
import { createTurns } from '../../runtime/turns.ts';
import type { Places } from '../ports.ts';

const ids = z.array(z.string());
const record = z.object({ here: ids, resting: ids, ungreeted: ids.default([]) });
type Record = z.output<typeof record>;

/** Tracks the guilds that the bot joins and leaves, also while the bot is not running. */
export interface Guilds {
  /** Takes the ids of all current guilds. Returns those that have yet to be greeted. */
  updateAll(ids: readonly string[]): Promise<readonly string[]>;
  /** Records that the bot is in a guild. Returns whether the guild has yet to be greeted. */
  recordJoined(id: string): Promise<boolean>;
  recordLeft(id: string): Promise<void>;
  recordGreeted(id: string): Promise<void>;
}

/** @param scope names the shards of this process: processes with different shards keep separate records */
export function trackGuilds(places: Places, scope: string): Guilds {
  const name = `discord guilds ${scope}`;
  const receivers = (id: string) => places.find({ notifier: 'discord', field: 'guildId', value: id });
  const read = async (): Promise<Record | undefined> => {
    const text = await places.recall(name);
    return text === undefined ? undefined : record.parse(JSON.parse(text));
  };
  // Changes run one after the other, because each reads what the one before wrote.
  const inTurn = createTurns<string>();
  const runInOrder = <Result>(work: () => Promise<Result>) => inTurn(name, work);

  /** Returns the guilds that have yet to be greeted. A guild that has something of the bot's knows the bot. */
  const change = async ({
    arrived = [],
    departed = [],
    greeted = [],
  }: {
    readonly arrived?: readonly string[];
    readonly departed?: readonly string[];
    readonly greeted?: readonly string[];
  }): Promise<ReadonlySet<string>> => {
    const known = await read();
    const here = new Set(known?.here);
    const resting = new Set(known?.resting);
    const ungreeted = new Set(known?.ungreeted).difference(new Set([...departed, ...greeted]));
    for (const id of departed) {
      await places.suspend(await receivers(id), msg('Discord: the bot was removed from the server'));
      here.delete(id);
      resting.add(id);
    }
    for (const id of arrived.filter((each) => !here.has(each))) {
      const own = await receivers(id);
      if (resting.delete(id)) await places.wake(own);
      else if (own.length === 0) ungreeted.add(id);
      here.add(id);
    }
    const next: Record = { here: [...here], resting: [...resting], ungreeted: [...ungreeted] };
    // After an outage of Discord thousands of servers come back at once, and nothing has changed.
    const text = JSON.stringify(next);
    if (text !== JSON.stringify(known)) await places.remember(name, text);
    return ungreeted;
  };

  return {
    updateAll: (ids) =>
      runInOrder(async () => {
        const known = await read();
        const departed = known?.here.filter((id) => !ids.includes(id)) ?? [];
        return [...(await change({ arrived: ids, departed }))];
      }),
    recordJoined: (id) => runInOrder(async () => (await change({ arrived: [id] })).has(id)),
    recordLeft: (id) => runInOrder(async () => void (await change({ departed: [id] }))),
    recordGreeted: (id) => runInOrder(async () => void (await change({ greeted: [id] }))),
  };
}
