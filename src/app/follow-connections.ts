import type { Logger } from 'pino';
import { z } from 'zod';
import { UserError } from '../language/errors.ts';
import { plainReader, say } from '../language/say.ts';
import { msg, type Text } from '../language/text.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { startLoop } from '../runtime/loop.ts';
import { createTurns } from '../runtime/turns.ts';
import { second } from '../runtime/units.ts';
import type { ConnectablePlatform } from './config/connectable.ts';
import { type Connections, type GivenOptions, unreadable } from './config/connections.ts';
import type { Conversations, Senders } from './platforms.ts';

export interface FollowingOptions {
  readonly connections: Connections;
  readonly connectable: readonly ConnectablePlatform[];
  readonly senders: Pick<Senders, 'platforms' | 'open' | 'end' | 'readiness'>;
  readonly wall: WallClock;
  readonly log: Logger;
}

/** Keeps those platforms open that are connected. */
export interface Following {
  /** Opens what was connected before, with these conversations. */
  start(conversations: Pick<Conversations, 'open' | 'end' | 'whereabouts'>): Promise<void>;
  /** Delivers by every open platform, and by those that are connected later. */
  deliverBy(pipeline: Pick<Pipeline, 'serve' | 'dismiss'>): Promise<void>;
  /**
   * Runs a change of the connections alone, and then opens and closes platforms until those are open that are connected. Throws
   * only what the change throws: what it has kept is not undone by what cannot be opened.
   */
  change(work: () => Promise<void>): Promise<void>;
  /** Why a platform that is connected could not be opened. */
  problemOf(name: string): Text | undefined;
  readonly whereabouts: Conversations['whereabouts'];
  close(): Promise<void>;
}

/** How often the connections are read again, which other processes may change, and what cannot be opened is tried again, wall ms. */
const lookEvery = 10 * second;

const failedHere = msg('It could not be opened: the log says why. The bot keeps trying every few seconds.');
const stopping = () => new UserError(msg('The bot is stopping: try again in a moment.'), { code: 'unready' });

export function followConnections(options: FollowingOptions): Following {
  const { connections, connectable, senders, wall, log } = options;
  const inTurn = createTurns<'change'>();
  /** What is open: its options as they are kept, to notice another token. */
  const open = new Map<string, string>();
  const problems = noteProblems(log);
  /** Platforms of which the log says already that what is kept cannot be read. */
  const unread = new Set<string>();
  let conversations: Pick<Conversations, 'open' | 'end' | 'whereabouts'> | undefined;
  let pipeline: Pick<Pipeline, 'serve' | 'dismiss'> | undefined;
  let closing = false;

  /** Runs all of them, whatever becomes of one. */
  const endAll = async (name: string, ends: readonly (((name: string) => Promise<void>) | undefined)[]) => {
    for (const end of ends)
      try {
        await end?.(name);
      } catch (error) {
        log.error({ platform: name, err: error }, 'error while a platform is closed');
      }
  };
  const allEnds = () => [conversations?.end, pipeline?.dismiss, senders.end];
  const close = async (name: string) => {
    open.delete(name);
    problems.solved(name);
    await endAll(name, allEnds());
  };
  const openOne = async ({ platform, given }: ConnectablePlatform, kept: GivenOptions) => {
    const { name } = platform;
    open.set(name, JSON.stringify(kept));
    let isServed = false;
    try {
      const opened =
        senders.platforms.find((each) => each.platform.name === name) ??
        senders.open({ platform, options: platform.options.parse({ ...given, ...kept }) });
      await pipeline?.serve(opened.outlet);
      isServed = true;
      await conversations?.open(opened);
      problems.solved(name);
      log.info({ platform: name }, 'connected');
    } catch (error) {
      problems.note(name, error);
      // What can deliver goes on doing so.
      await endAll(name, isServed ? [conversations?.end] : allEnds());
    }
  };
  /** Opens and closes platforms until those are open that are kept. What cannot be read changes nothing. */
  const follow = async () => {
    const kept = await connections.read();
    for (const [name, options] of open)
      if (!kept.isUnreadable(name) && JSON.stringify(kept.given[name]) !== options) await close(name);
    for (const each of connectable) {
      const { name } = each.platform;
      const { [name]: connection } = kept.given;
      if (kept.isUnreadable(name)) {
        if (!unread.has(name)) log.error({ platform: name }, say(unreadable, plainReader));
        unread.add(name);
        continue;
      }
      unread.delete(name);
      if (connection !== undefined && !closing && (!open.has(name) || problems.of(name) !== undefined))
        await openOne(each, connection);
    }
  };
  const sayUnread = (error: unknown) =>
    log.error(
      error instanceof ConfigError ? { problem: error.message } : { err: error },
      'cannot read the connected platforms; retrying',
    );
  const alone = (work: () => Promise<void>): Promise<void> =>
    inTurn('change', () => {
      if (closing) throw stopping();
      return work();
    });
  const looking = startLoop(
    async () => {
      await inTurn('change', async () => {
        if (conversations !== undefined && !closing) await follow();
      });
      return lookEvery;
    },
    { wall, onError: sayUnread },
  );

  return {
    change: (work) =>
      alone(async () => {
        await work();
        await follow().catch(sayUnread);
      }),
    problemOf: (name) => senders.readiness.refusals.get(name) ?? problems.of(name),
    async whereabouts(name) {
      try {
        return await conversations?.whereabouts(name);
      } catch (error) {
        log.warn({ platform: name, err: error }, 'a platform cannot say where the bot is');
        return undefined;
      }
    },
    start: (given) =>
      alone(async () => {
        conversations = given;
        await follow().catch(sayUnread);
      }),
    deliverBy: (given) =>
      alone(async () => {
        pipeline = given;
        for (const { outlet } of [...senders.platforms]) {
          const { name } = outlet;
          if (!open.has(name)) await given.serve(outlet);
          else
            await given.serve(outlet).catch(async (error: unknown) => {
              problems.note(name, error);
              await endAll(name, allEnds());
            });
        }
      }),
    async close() {
      closing = true;
      await looking.stop();
      await inTurn('change', async () => {});
    },
  };
}

/** Keeps why platforms could not be opened. The log says it once. */
function noteProblems(log: Logger) {
  const problems = new Map<string, Text>();
  return {
    of: (name: string): Text | undefined => problems.get(name),
    solved: (name: string) => void problems.delete(name),
    note(name: string, error: unknown) {
      const told =
        error instanceof z.ZodError
          ? z.prettifyError(error)
          : error instanceof ConfigError
            ? error.message
            : undefined;
      const problem = told ?? failedHere;
      if (problems.get(name) !== problem)
        log.error(
          { platform: name, ...(told === undefined ? { err: error } : { problem: told }) },
          'a connected platform cannot be opened; retrying',
        );
      problems.set(name, problem);
    },
  };
}
