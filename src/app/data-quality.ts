import type { Logger } from 'pino';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointAnswer } from '../contract/index.ts';
import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { minute, second } from '../runtime/units.ts';

/** What the data service reports about the age and completeness of its data. */
export type DataQuality = EndpointAnswer<'dataQuality'>;

/** Wall ms after which an answer says nothing about the present any more: two further answers are missing by then. */
const validFor = 15 * minute;

export interface DataQualityWatch {
  /** Returns the latest answer; undefined if there is none that is current. */
  latest(): DataQuality | undefined;
  /** Starts to ask. The cache of the client shares the answers with the detector that asks for them too. */
  start(): Pick<Loop, 'stop'>;
}

/** Follows what the data service reports about its data: an answer that a detector gets may be made from old data. */
export function watchDataQuality({
  data,
  market,
  wall,
  log,
}: {
  readonly data: Pick<DataClient, 'dataQuality'>;
  readonly market: () => MarketClock;
  readonly wall: WallClock;
  readonly log: Pick<Logger, 'error'>;
}): DataQualityWatch {
  let latest: { readonly answer: DataQuality; readonly at: number } | undefined;
  return {
    latest: () =>
      latest !== undefined && Math.abs(wall.now() - latest.at) <= validFor ? latest.answer : undefined,
    start() {
      const stopping = new AbortController();
      const loop = startLoop(
        async () => {
          const answer = await ifAnswered(data.dataQuality({}, stopping.signal));
          if (answer !== undefined) latest = { answer, at: wall.now() };
          return Math.max(minute, (contract.dataQuality.cadence * second) / market().speed);
        },
        {
          wall,
          onError(error) {
            if (!stopping.signal.aborted)
              log.error({ err: error }, 'could not ask how old the data is; retrying');
          },
        },
      );
      return {
        async stop() {
          stopping.abort();
          await loop.stop();
          latest = undefined;
        },
      };
    },
  };
}
