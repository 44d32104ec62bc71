import { z } from 'zod';
import { type Clock, type MarketClock, realTime, type WallClock } from '../../runtime/clock.ts';
import { day, iso, minute } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import { claimArchive } from '../archive/owner.ts';
import type { MarketSource } from '../archive/sources.ts';
import type { PlayedOutage } from '../collecting/feed-health.ts';
import type { MacroProvider } from '../exchanges/macro.ts';
import { type MacroChoice, openMacro, readMacroFolder } from '../exchanges/open-macro.ts';
import type { LiveUrls } from '../exchanges/urls.ts';
import {
  type Market,
  marketCheckpoint,
  marketVersion,
  type SimulatedUpstream,
} from '../simulation/market.ts';
import { recordedMarket } from '../simulation/recorded-market.ts';
import { defaultSeed, simulationStart, syntheticMarket } from '../simulation/synthetic.ts';
import { simulatedMacro } from '../venues/simulated.ts';
import { openMarketTime } from './market-time.ts';

/** Where the market comes from. `from`: market ms at which the first start begins; later starts continue. */
export type MarketChoice =
  | {
      readonly kind: 'simulated';
      readonly seed: number;
      readonly symbols?: number;
      readonly from?: number | undefined;
    }
  | { readonly kind: 'recorded'; readonly dir: string; readonly from?: number | undefined }
  /** Without `macro` there is no macro data. */
  | {
      readonly kind: 'live';
      readonly urls: LiveUrls;
      readonly macro?: MacroChoice | undefined;
      /** Absent: the venue whose data the archive has, or else the first that responds. */
      readonly venue?: string | undefined;
    };

/** The exchanges to collect from, and the clock of their market. */
export interface MarketUpstream {
  /** Where the exchanges are, or the model of a simulated or recorded market, which answers for them. */
  readonly from: { readonly urls: LiveUrls } | { readonly market: Market };
  /** Absent: there is no macro data. */
  readonly macro?: MacroProvider | undefined;
  readonly clock: MarketClock;
  /** Returns the number of market seconds that currently pass in a wall second. */
  pace(): number;
  /** Called when the needed past is loaded. A simulated or recorded market then runs at its own speed. */
  run(): void;
  /** Resolves when `run` has been called; at once for a live market. */
  readonly running: Promise<void>;
  /** The outage that a simulator plays on purpose. Absent: the market is not simulated. */
  readonly outage?: PlayedOutage;
  close(): Promise<void>;
}

/** Claims the archive for the market and opens the market's exchanges. @throws ConfigError if it holds another market */
export async function openUpstream(
  choice: MarketChoice,
  options: {
    readonly nature: MarketNature;
    readonly archive: Archive;
    readonly speed: number;
    readonly wall: WallClock;
    readonly steady: Clock;
    readonly signal: AbortSignal;
  },
): Promise<MarketUpstream> {
  const { archive, wall, nature } = options;
  await claimArchive(archive, nature.name);
  if (choice.kind === 'live') {
    const macro = choice.macro && (await openMacro(choice.macro, { ...options, urls: choice.urls }));
    return {
      from: { urls: choice.urls },
      macro,
      clock: realTime(wall),
      pace: () => 1,
      run() {},
      running: Promise.resolve(),
      close: async () => macro?.close?.(),
    };
  }
  if (nature.generated === undefined) throw new TypeError('a market that is not live is made');
  const { market, start } = nature.generated;
  await using started = new AsyncDisposableStack();
  const time = started.adopt(await openMarketTime(archive, { ...options, start }), close);
  // The name of a recorded market does not tell its files apart, of which others would continue differently.
  const storeCheckpoint =
    choice.kind === 'simulated'
      ? await resumeMarket(market, { archive, now: time.clock.now })
      : async () => {};
  started.defer(storeCheckpoint);
  const running = started.move();
  return {
    from: { market },
    macro: simulatedMacro({ market, clock: time.clock, signal: options.signal }),
    clock: time.clock,
    pace: time.pace,
    run() {
      time.run();
      void storeCheckpoint();
    },
    running: time.running,
    outage: playedOutage(market, time.clock),
    close: () => running.disposeAsync(),
  };
}

/** A problem is noticed some time after its cause, market ms. */
const noticedWithin = 15 * minute;

const outageNames: Readonly<Record<SimulatedUpstream, string>> = {
  binance: 'Binance',
  openInterest: 'Binance’s open interest',
  liquidations: 'the stream of liquidations',
  deribit: 'Deribit',
};

const playedOutage =
  ({ outages }: Market, clock: MarketClock): PlayedOutage =>
  () => {
    const now = clock.now();
    const outage = outages(now - noticedWithin, now).at(-1);
    return outage && { what: outageNames[outage.upstream], to: outage.to };
  };

const close = (part: { close(): Promise<void> }): Promise<void> => part.close();

/**
 * Resumes a market from the checkpoint in the archive. Returns a function that stores the next one; where it cannot be
 * stored, the next start takes longer and nothing is lost.
 */
async function resumeMarket(
  market: Market,
  { archive, now }: { readonly archive: Archive; readonly now: () => number },
): Promise<() => Promise<void>> {
  const key = 'market-checkpoint';
  const stored = checkpointDocument.safeParse(await archive.get(key));
  if (stored.success) market.resume(stored.data.states);
  return () => archive.put(key, { version: marketVersion, states: market.checkpoint(now()) }).catch(() => {});
}

/** A checkpoint of another version would continue a market whose hours before it are computed differently. */
const checkpointDocument = z.object({ version: z.literal(marketVersion), states: marketCheckpoint });

/** The properties of a market that are known before any data is collected. */
export interface MarketNature {
  /** The name under which the archive is claimed. */
  readonly name: string;
  readonly source: MarketSource;
  readonly sourceOf: (feed: string, symbol: string) => MarketSource;
  /** Present for a simulated or recorded market. Its first start begins at `start`, market ms. */
  readonly generated?: { readonly market: Market; readonly start: number };
}

/**
 * Returns the properties of a market. Reads all files that a start would read, but changes nothing.
 * @throws ConfigError if the recordings or the files with macro data cannot be read
 */
export async function natureOf(choice: MarketChoice): Promise<MarketNature> {
  const source = choice.kind;
  if (choice.kind !== 'live') {
    const { market, name, start } = await openMarket(choice);
    const generated = { market, start };
    return { name, source, generated, sourceOf: (feed, symbol) => sourceOf(market, { feed, symbol }) };
  }
  if (choice.macro?.kind === 'csv') await readMacroFolder(choice.macro.dir);
  return { name: source, source, sourceOf: () => source };
}

/**
 * Returns the source of a symbol's data in a feed. Feeds are named after the collectors' files (`open-interest`). Data that
 * the market does not name as a source is simulated.
 */
const sourceOf = (
  market: Market,
  { feed, symbol }: { readonly feed: string; readonly symbol: string },
): MarketSource => {
  const name = feed.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return name in market.sources ? market.sourceOf(name as keyof Market['sources'], symbol) : 'simulated';
};

async function openMarket(
  choice: Exclude<MarketChoice, { kind: 'live' }>,
): Promise<{ market: Market; name: string; start: number }> {
  if (choice.kind === 'simulated') {
    const { seed, symbols } = choice;
    const market = syntheticMarket({ seed, symbols });
    return { market, name: `simulated (seed ${seed})`, start: choice.from ?? simulationStart };
  }
  const market = await recordedMarket(choice.dir, { seed: defaultSeed });
  return {
    market,
    name: `recorded (${iso(market.earliest)} to ${iso(market.latest)})`,
    // The last 60 days are played; the days before them are the past that regimes and windows need.
    start: choice.from ?? Math.max(market.earliest, market.latest - 60 * day),
  };
}
