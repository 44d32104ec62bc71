import type { Logger } from 'pino';
import { predictionOf } from '../hook/alert-change.ts';
import { hooksStateName, startHooks } from '../hook/keep.ts';
import { createReceiving, type HookOutcome, type HookRequest } from '../hook/receive.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { makeHookCalls } from '../places/calls.ts';
import type { Clock, WallClock } from '../runtime/clock.ts';
import type { Loop } from '../runtime/loop.ts';
import { hour, second } from '../runtime/units.ts';
import { resolveSymbol } from '../shell/symbols.ts';
import type { Store } from '../store/ports.ts';
import type { FilledBoard } from './console/board/board.ts';

interface HooksOptions {
  readonly store: Pick<Store, 'hooks' | 'inbox' | 'detectors'>;
  /** Tracked symbols, the largest volume first. */
  readonly universe: () => readonly string[];
  /** The newest price of a market, and its time, market ms. */
  readonly priceOf: FilledBoard['priceOf'];
  readonly onOutcome?: ((outcome: HookOutcome) => void) | undefined;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly log: Logger;
}

/** An older price says nothing of what a sender means. */
const maxPriceAge = hour;

/**
 * Receives signals that other programs send to hooks, in every process. The process with the role `watch` makes alerts
 * of them.
 */
export function openHooks({ store, universe, priceOf, now, wall, steady, log, onOutcome }: HooksOptions) {
  let hookLoop: Loop | undefined;
  const receive = createReceiving({
    hooks: store.hooks,
    inbox: store.inbox,
    resolveSymbol: (text) => resolveSymbol(text, universe()),
    priceOf: (symbol) => {
      const price = priceOf(symbol);
      return price !== undefined && Math.abs(now() - price.at) < maxPriceAge ? price.value : undefined;
    },
    now,
    wall,
    steady,
    onStored: () => hookLoop?.wake(),
    onOutcome,
    onError: (error) => log.warn({ err: error }, 'could not keep what a hook received for its chat to see'),
  });
  return {
    receive: (request: HookRequest) => receive(request),
    /** Starts making alerts of the received signals. Called by the process that has the role `watch`. */
    start(pipeline: Pick<Pipeline, 'dispatch'>): Loop {
      hookLoop = startHooks({
        inbox: store.inbox,
        hooks: store.hooks,
        readState: () => store.detectors.state(hooksStateName),
        // Alerts of one request body form one post. They are all stored already, so a second is long enough to group them.
        storeState: ({ entries, ...given }) =>
          pipeline.dispatch(
            { name: hooksStateName, groupWait: second, prediction: predictionOf },
            { ...given, also: (unit) => makeHookCalls(entries, unit) },
          ),
        now,
        wall,
        log,
      });
      return hookLoop;
    },
  };
}

export type Hooks = ReturnType<typeof openHooks>;
