import type { Logger } from 'pino';
import { isGroup } from '../alert/symbols.ts';
import { type Meta, metaInterval } from '../client/meta.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';

/**
 * Keeps the markets followed that somebody here names. The data service knows of no subscription: it follows for a day whatever
 * it is asked about. So each of them that it lists and does not follow is asked about.
 */
export function keepFollowed(
  named: () => Promise<readonly string[]>,
  {
    meta,
    data,
    wall,
    log,
  }: {
    readonly meta: Pick<Meta, 'symbols' | 'listed' | 'market'>;
    readonly data: Pick<DataClient, 'intelligence'>;
    readonly wall: WallClock;
    readonly log: Logger;
  },
): Loop {
  return startLoop(
    async () => {
      const [listed, followed] = [new Set(meta.listed()), new Set(meta.symbols())];
      for (const symbol of new Set(await named()))
        if (!isGroup(symbol) && listed.has(symbol) && !followed.has(symbol))
          await data.intelligence({ symbol });
      return metaInterval(meta.market().speed);
    },
    {
      wall,
      onError: (error) => log.warn({ err: error }, 'a market that is subscribed to may not be followed'),
    },
  );
}
