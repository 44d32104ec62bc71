import type { Logger } from 'pino';
import { z } from 'zod';
import { UserError } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { startLoop } from '../runtime/loop.ts';
import { createTurns } from '../runtime/turns.ts';
import { second } from '../runtime/units.ts';
import type { ConnectablePlatform } from './config/connectable.ts';
import type { Connections, GivenOptions } from './config/connections.ts';
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
  /** Runs a change of the connections alone, and then opens and closes platforms until those are open that are connected. */
  change(work: () => Promise<void>): Promise<void>;
  /** Why a platform that is connected could not be opened. */
  problemOf(name: string): Text | undefined;
  readonly whereabouts: Conversations['whereabouts'];
  close(): Promise<void>;
}

/** How often the connections are read again that other processes may change, wall ms. */
const lookEvery = 10 * second;

const stopping = () => new UserError(msg('The bot is stopping: try again in a moment.'), { code: 'unready' });

export function followConnections(options: FollowingOptions): Following {
  const { connections, connectable, senders, wall, log } = options;
  const inTurn = createTurns<'change'>();
  /** What is open: its options as they are kept, to notice another token. */
  const open = new Map<string, string>();
  const problems = new Map<string, Text>();
  let conversations: Pick<Conversations, 'open' | 'end' | 'whereabouts'> | undefined;
  let pipeline: Pick<Pipeline, 'serve' | 'dismiss'> | undefined;
  let closing = false;

  const close = async (name: string) => {
    open.delete(name);
    problems.delete(name);
    await conversations?.end(name);
    await pipeline?.dismiss(name);
    await senders.end(name);
  };
  const openOne = async ({ platform, given }: ConnectablePlatform, kept: GivenOptions) => {
    const { name } = platform;
    open.set(name, JSON.stringify(kept));
    try {
      const opened = senders.open({ platform, options: platform.options.parse({ ...given, ...kept }) });
      await pipeline?.serve(opened.outlet);
      await conversations?.open(opened);
      log.info({ platform: name }, 'connected');
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof z.ZodError)) throw error;
      problems.set(name, error instanceof ConfigError ? error.message : z.prettifyError(error));
      log.error({ platform: name, problem: error.message }, 'a connected platform cannot be opened');
    }
  };
  /** Opens and closes platforms until those are open that are kept. */
  const follow = async () => {
    const kept = await connections.read();
    for (const [name, options] of open) if (JSON.stringify(kept[name]) !== options) await close(name);
    for (const each of connectable) {
      const { [each.platform.name]: connection } = kept;
      if (connection !== undefined && !open.has(each.platform.name) && !closing)
        await openOne(each, connection);
    }
  };
  const alone = (work: () => Promise<void>): Promise<void> =>
    inTurn('change', () => {
      if (closing) throw stopping();
      return work();
    });
  const looking = connections.shared
    ? startLoop(
        async () => {
          if (conversations !== undefined) await alone(follow);
          return lookEvery;
        },
        {
          wall,
          onError: (error) => log.error({ err: error }, 'could not read the connected platforms; retrying'),
        },
      )
    : undefined;

  return {
    change: (work) =>
      alone(async () => {
        await work();
        await follow();
      }),
    problemOf: (name) => senders.readiness.refusals.get(name) ?? problems.get(name),
    whereabouts: async (name) => conversations?.whereabouts(name),
    start: (given) =>
      alone(async () => {
        conversations = given;
        await follow().catch((error: unknown) => {
          if (!(error instanceof ConfigError)) throw error;
          log.error({ problem: error.message }, 'the connected platforms are not opened');
        });
      }),
    deliverBy: (given) =>
      alone(async () => {
        pipeline = given;
        for (const { outlet } of senders.platforms) await given.serve(outlet);
      }),
    async close() {
      closing = true;
      await looking?.stop();
      await inTurn('change', async () => {});
    },
  };
}
