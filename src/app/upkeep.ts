import { recordKept } from '../record/records.ts';
import { ApiError, ConfigError } from '../runtime/errors.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { minute, second } from '../runtime/units.ts';
import type { Core } from './core.ts';

/**
 * Keeps asking the data service what it reports about itself, and calls `keep` to store the market time of that. Logs once
 * as a warning when the service stops responding, and once when it responds again.
 * @param keep its ConfigError is passed to `failed`: nothing may be told or stored about the service's market
 */
export function keepMeta(
  {
    meta,
    wall,
    log,
    failed,
  }: Pick<Core, 'meta' | 'wall' | 'log'> & { readonly failed: (error: ConfigError) => void },
  keep: () => Promise<void>,
): Loop {
  let isAway = false;
  return startLoop(
    async () => {
      await meta.refresh();
      if (isAway) log.info('the data service answers again');
      isAway = false;
      await keep();
      return meta.interval();
    },
    {
      wall,
      onError(error) {
        if (error instanceof ConfigError) return failed(error);
        const problem = error instanceof Error ? error.message : String(error);
        const what =
          error instanceof ApiError ? 'the data service does not answer' : 'cannot keep market time';
        log[isAway ? 'debug' : 'warn']({ problem }, what);
        isAway = true;
      },
    },
  );
}

/** How often the bot records that it runs, wall ms. After four missed records it counts as down. */
const heartbeat = 15 * second;

export const keepHeartbeat = ({
  store,
  meta,
  wall,
  log,
}: Pick<Core, 'store' | 'meta' | 'wall' | 'log'>): Loop =>
  startLoop(
    async () => {
      // Until the database is bound to a market the time is a guess: stored, it would look like a live market's (bind-market.ts).
      if ((await store.market.bound()) === undefined) return heartbeat;
      const { now, speed } = meta.market();
      if (await store.heartbeat({ market: now(), wall: wall.now(), speed }, 4 * heartbeat))
        log.warn('the clock was ahead: what was written meanwhile is based anew');
      return heartbeat;
    },
    {
      wall,
      onError: (error) => log.error({ err: error }, 'could not record that the bot is running; retrying'),
    },
  );

/**
 * How often the record joins the chain, wall ms. Only a posted head proves anything, and one is posted a day: to wait costs
 * nothing, and many changes become one link.
 */
const joinEvery = 10 * minute;

export const keepJoined = ({ store, wall, log }: Pick<Core, 'store' | 'wall' | 'log'>): Loop =>
  startLoop(
    async () => {
      await store.chain.join();
      return joinEvery;
    },
    { wall, onError: (error) => log.error({ err: error }, 'could not add to the chain of alerts; retrying') },
  );

/** Wall ms after a start in which nothing is deleted: a machine's clock may be set right only after its start. */
const settling = 10 * minute;

/** Deletes old records once an hour of market time. */
export const keepPruned = ({
  config: { delivery, data },
  store,
  meta,
  wall,
  log,
}: Pick<Core, 'config' | 'store' | 'meta' | 'wall' | 'log'>): Loop => {
  let hasSettled = false;
  return startLoop(
    async () => {
      if (!hasSettled) {
        hasSettled = true;
        return settling;
      }
      // By a guess, records of a past market would be deleted as old ones.
      if ((await store.market.bound()) === undefined) return heartbeat;
      const { speed, now } = meta.market();
      const at = now();
      await store.prune({
        now: at,
        before: at - delivery.keep,
        requests: wall.now() - 2 * data.budget.window,
        record: at - recordKept,
        wall: wall.now(),
      });
      return Math.max(minute, (60 * minute) / speed);
    },
    { wall, onError: (error) => log.error({ err: error }, 'could not delete old records; retrying') },
  );
};
