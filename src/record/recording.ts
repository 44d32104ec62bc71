import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { startLoop } from '../runtime/loop.ts';
import { minute, second } from '../runtime/units.ts';
import { createGatherer, type GatherOptions } from './gather.ts';

interface RecordingOptions extends Pick<GatherOptions, 'data' | 'market' | 'outcomes'> {
  /** Called after prices of alerts have been stored. */
  readonly onPrice: () => void;
  /** Called each time: the service's clock may differ after its restart. */
  readonly clock: () => MarketClock;
  readonly wall: WallClock;
  readonly log: GatherOptions['log'] & { error(context: object, message: string): void };
}

interface Recording {
  /** Stops after the step under way has been stored. */
  stop(): Promise<void>;
}

/** Follows what the price does after alerts. */
export function startRecording(options: RecordingOptions): Recording {
  const { outcomes, data, onPrice, market, clock, wall, log } = options;
  const stopping = new AbortController();
  const gather = createGatherer({
    data,
    outcomes,
    market,
    now: () => clock().now(),
    log,
    signal: stopping.signal,
  });
  const loop = startLoop(
    async () => {
      if (await gather()) onPrice();
      // So that there are two turns within the time by which a price may be late.
      return Math.min(minute, Math.max(second / 2, (2 * minute) / clock().speed));
    },
    {
      wall,
      onError(error) {
        if (!stopping.signal.aborted) log.error({ err: error }, 'error while recording outcomes; continuing');
      },
    },
  );
  return {
    async stop() {
      stopping.abort(new Error('the bot is stopping'));
      await loop.stop();
    },
  };
}
