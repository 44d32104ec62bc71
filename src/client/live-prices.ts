import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { maxStreamed, type StreamEvent, stream, streamEvents } from '../contract/stream.ts';
import { type Clock, type MarketClock, maxAhead, type WallClock } from '../runtime/clock.ts';
import { startLoop } from '../runtime/loop.ts';
import { parseJson } from '../runtime/parse-json.ts';
import type { Secret } from '../runtime/secret.ts';
import { minute, second } from '../runtime/units.ts';

/** A market's newest price and its changes. */
interface LivePrice extends Omit<StreamEvent<'price'>['data'][number], 'timestamp'> {
  /** Up to when the price is known to hold, market ms. */
  readonly time: number;
}

/** The newest prices as the data service streams them. */
export interface LivePrices {
  /**
   * Returns the newest prices by symbol, and up to when they are known to hold, market ms. Undefined: none are streamed, or
   * they are not of now.
   * @param symbols the markets that the caller follows: their prices are streamed from then on, as long as it asks
   */
  now(
    symbols: Iterable<string>,
  ): { readonly at: number; readonly prices: ReadonlyMap<string, LivePrice> } | undefined;
  /** Calls the listener after each change, at most about once a second. Returns a function that ends this. */
  onChange(listener: () => void): () => void;
}

interface LivePricesOptions {
  /** Ends in the version segment. */
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
  readonly http: Dispatcher;
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly market: () => MarketClock;
  /** Whether the service says that it has the stream. */
  readonly isOffered: () => boolean;
  /** Returns why nothing that the service says is believed for now. */
  readonly doubt: () => string | undefined;
  /** Returns a random number x, 0 ≤ x < 1. */
  readonly random: () => number;
}

/** Wall ms without an event of prices after which prices are not of now, and the connection is dead: there is one every second. */
const silence = 5 * second;
/** Wall ms after an event that is refused until everything is asked for anew: what it told of is not known since. */
const anewAfter = minute;
/** An id is sent back in a header: another one would make every request fail. */
const usableId = /^[\w.:-]{1,100}$/;
/** An odd row costs the price of its market alone. */
const priceEvent = streamEvents.price.extend({ data: z.array(z.unknown()) });
const namedRow = z.object({ symbol: z.string().max(100) });
const pricedRow = streamEvents.price.shape.data.element.extend(namedRow.shape);
/** Wall ms between two looks at whether the service offers the stream, and at whether it tells of all markets that are followed. */
const lookEvery = second;
/** Steady ms after which a market that nobody has asked about is not followed. */
const followedFor = 5 * minute;
const maxPause = minute;
/** The most bytes of one event: some thousand markets are 200 kB. */
const maxEvent = 4 * 1024 * 1024;

/** The most markets whose prices are kept: all exchanges together list fewer. */
const maxMarkets = 10_000;

/** Creates what is known of prices from the events of a stream. */
function createPriceBook({ steady, market, doubt }: Pick<LivePricesOptions, 'steady' | 'market' | 'doubt'>) {
  const prices = new Map<string, LivePrice>();
  let at = 0;
  /** When prices came that are believed, steady ms. */
  let pricedAt = Number.NEGATIVE_INFINITY;
  let isStale = true;
  let lastEventId: string | undefined;

  /** Forgets all prices: which of them still hold is not known. */
  const forget = () => {
    prices.clear();
    at = 0;
    lastEventId = undefined;
  };

  return {
    lastEventId: () => lastEventId,
    /** Has the next connection ask for everything. */
    askAnew() {
      lastEventId = undefined;
    },
    take({ data, id }: ServerSentEvent): boolean {
      const parsed = priceEvent.safeParse(parseJson(data));
      const { now, speed } = market();
      const latest = now() + maxAhead(speed);
      if (!parsed.success || Date.parse(parsed.data.timestamp) > latest || doubt() !== undefined) {
        forget();
        return false;
      }
      // Another process of the service counts anew, and its first event has every price.
      if (epochOf(id) !== epochOf(lastEventId)) forget();
      lastEventId = id;
      // What comes twice or in another order takes no price back, unless it is the time before that was wrong.
      const isBehind = (time: number, known: number) => time < known && known <= latest;
      const toldAt = Date.parse(parsed.data.timestamp);
      if (!isBehind(toldAt, at)) at = toldAt;
      pricedAt = steady.now();
      isStale = parsed.data.stale;
      for (const told of parsed.data.data) {
        const row = pricedRow.safeParse(told).data;
        const time = row && Date.parse(row.timestamp);
        if (row === undefined || time === undefined || time > latest)
          prices.delete(namedRow.safeParse(told).data?.symbol ?? '');
        else if (
          !isBehind(time, prices.get(row.symbol)?.time ?? time) &&
          (prices.size < maxMarkets || prices.has(row.symbol))
        )
          prices.set(row.symbol, { ...row, time });
      }
      return true;
    },
    now() {
      const { now, speed } = market();
      const isLate = at < now() - maxAhead(speed);
      const isOfNow = !isStale && !isLate && steady.now() - pricedAt < silence && doubt() === undefined;
      return isOfNow ? { at, prices } : undefined;
    },
  };
}

/** Listens to the data service's stream of prices wherever it has one, connecting anew and resuming after an interruption. */
export function keepLivePrices(options: LivePricesOptions): LivePrices & { stop(): Promise<void> } {
  const { baseUrl, apiKey, http, wall, steady, isOffered, random } = options;
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${stream.path}`);
  const listeners = new Set<() => void>();
  const book = createPriceBook(options);
  const ending = new AbortController();
  /** When each market was asked about last, steady ms. */
  const followed = new Map<string, number>();
  /** The markets that the stream tells of; undefined: all. */
  let told: ReadonlySet<string> | undefined;
  const tellsAll = () => told === undefined || followed.keys().every((symbol) => told?.has(symbol));
  /** When an event of prices came, steady ms. */
  let heardAt = Number.NEGATIVE_INFINITY;
  /** When an event of this connection was refused first, steady ms. */
  let refusedAt = Number.POSITIVE_INFINITY;
  let failures = 0;

  const take = (event: ServerSentEvent): void => {
    if (event.name !== 'price') return;
    heardAt = steady.now();
    if (!book.take(event)) {
      refusedAt = Math.min(refusedAt, heardAt);
      return;
    }
    failures = 0;
    if (book.now() !== undefined) for (const listener of listeners) listener();
  };

  /** Chooses what the next connection tells of. Returns its query. */
  const choose = (): string => {
    for (const [symbol, at] of followed) if (steady.now() - at > followedFor) followed.delete(symbol);
    told = followed.size > maxStreamed ? undefined : new Set([...followed.keys()].sort());
    return told === undefined ? '' : `?symbols=${encodeURIComponent([...told].join())}`;
  };

  /** Listens until the connection ends, is silent for too long, lacks a market that is followed, or everything stops. */
  const listen = async (): Promise<void> => {
    const connection = new AbortController();
    const signal = AbortSignal.any([ending.signal, connection.signal]);
    heardAt = steady.now();
    if (Number.isFinite(refusedAt)) book.askAnew();
    refusedAt = Number.POSITIVE_INFINITY;
    const lastEventId = book.lastEventId();
    const watching = (async () => {
      while (!signal.aborted) {
        await wall.sleep(lookEvery, signal).catch(() => {});
        const [isSilent, isRefused] = [
          steady.now() - heardAt >= silence,
          steady.now() - refusedAt >= anewAfter,
        ];
        if (isSilent || isRefused || !tellsAll()) connection.abort(silent);
      }
    })();
    try {
      const { statusCode, headers, body } = await http.request({
        origin: url.origin,
        path: `${url.pathname}${choose()}`,
        method: 'GET',
        headers: {
          accept: 'text/event-stream',
          ...(apiKey !== null && { 'x-api-key': apiKey.reveal() }),
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      if (statusCode === 200 && String(headers['content-type']).startsWith('text/event-stream'))
        for await (const event of eventsIn(body)) take(event);
      else await body.dump();
    } finally {
      connection.abort(silent);
      await watching;
    }
  };

  const loop = startLoop(
    async () => {
      if (!isOffered() || followed.size === 0) return lookEvery;
      failures += 1;
      // An interruption is no error of the bot's: it polls meanwhile, and the service's health is told elsewhere.
      await listen().catch(() => {});
      if (failures === 0 && !tellsAll()) return 0;
      return random() * Math.min(maxPause, second * 2 ** failures);
    },
    { wall, onError: () => {} },
  );

  return {
    now(symbols) {
      const at = steady.now();
      for (const symbol of symbols) followed.set(symbol, at);
      return book.now();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      ending.abort(silent);
      await loop.stop();
    },
  };
}

const silent = new Error('the stream of prices has ended');

const epochOf = (id: string | undefined): string | undefined => id?.split('-')[0];

interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Yields the events of a body. Events without an id have that of the last one (html.spec.whatwg.org, server-sent events). */
async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let text = '';
  let id: string | undefined;
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split(/\r?\n\r?\n/);
    text = frames.pop() ?? '';
    if (text.length > maxEvent) throw new Error('an event is too large');
    for (const frame of frames) {
      const fields = frame.split(/\r?\n/).map((line) => /^(\w*):? ?(.*)$/s.exec(line) ?? []);
      const fieldOf = (field: string) => fields.findLast(([, name]) => name === field)?.[2];
      const given = fieldOf('id');
      if (given !== undefined && usableId.test(given)) id = given;
      const data = fields.flatMap(([, name, value]) => (name === 'data' ? [value] : [])).join('\n');
      if (data !== '') yield { name: fieldOf('event') ?? 'message', data, id };
    }
  }
}
