import { z } from 'zod';
import { pair, positive, timestamp } from './endpoint.ts';
import { liquidations } from './liquidations.ts';
import { listings } from './listings.ts';
import { prices } from './market.ts';
import { regimeProbabilities } from './regime.ts';

/**
 * The stream of server-sent events below {base_url}, an extension of the interface. A client that connects gets the price of
 * every symbol, and from then on what changes, at most once a second; one that sends the id of the last event that it has,
 * as Last-Event-ID, only what has changed since. A second without a change brings an event without rows, so that silence is a fault.
 */
export const stream = { path: '/stream', name: 'stream' } as const;

/** The most markets that a client may name: their names fit into a request's first line. */
export const maxStreamed = 500;

/** The query of the stream. */
export const streamQuery = z.object({
  /** The markets, separated by commas, whose prices are told. Left out: all. */
  symbols: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(pair).min(1).max(maxStreamed))
    .optional(),
});

const { symbol, change1mPct, change5mPct, change15mPct, change1hPct, change4hPct } =
  prices.answer.shape.data.element.shape;
const changes = { change1mPct, change5mPct, change15mPct, change1hPct, change4hPct };

/** The events by name, each with its data. */
export const streamEvents = {
  price: z.object({
    /** Market time of the event: up to then the prices of all symbols are known to hold, unless they are stale. */
    timestamp,
    /** Whether no new price of any symbol has come for so long that the prices are not of now. */
    stale: z.boolean(),
    /** The symbols whose prices have changed. */
    data: z.array(z.object({ symbol, price: positive, timestamp, ...changes })),
  }),
  liquidation: z.object({ data: liquidations.answer.shape.data }),
  listing: z.object({ data: listings.answer.shape.data }),
  /** The market’s regime has been published anew. */
  regime: z.object({ current: regimeProbabilities.answer.shape.current, timestamp }),
} as const;

type StreamEventName = keyof typeof streamEvents;
export type StreamEvent<Name extends StreamEventName> = z.output<(typeof streamEvents)[Name]>;
