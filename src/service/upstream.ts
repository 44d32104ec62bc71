import { type Clock, type MarketClock, realTime, type WallClock } from '../runtime/clock.ts';
import { day, iso } from '../runtime/units.ts';
import type { Archive } from './archive/archive.ts';
import type { MacroProvider } from './exchanges/macro.ts';
import { type MacroChoice, openMacro, readMacroFolder } from './exchanges/open-macro.ts';
import type { ExchangeUrls, LiveUrls } from './exchanges/urls.ts';
import type { MarketSource } from './handlers/handler.ts';
import { claimArchive, keptTime } from './market-time.ts';
import { startExchanges } from './simulator/exchanges.ts';
import type { Market } from './simulator/market.ts';
import { recordedMarket } from './simulator/recorded.ts';
import { defaultSeed, simulationStart, syntheticMarket } from './simulator/synthetic.ts';

/** Where the market comes from. `from`: market ms at which a first start begins; later ones go on. */
export type MarketChoice =
  | {
      readonly kind: 'simulated';
      readonly seed: number;
      readonly symbols?: number;
      readonly from?: number;
    }
  | { readonly kind: 'recorded'; readonly dir: string; readonly from?: number }
  /** `macro`: none where not said. */
  | {
      readonly kind: 'live';
      readonly urls: LiveUrls;
      readonly macro?: MacroChoice;
      /** Absent: the one that the archive holds, or else the first that answers. */
      readonly venue?: string;
    };

/** The exchanges to collect from and the clock they live by. */
export interface MarketUpstream {
  readonly urls: ExchangeUrls;
  /** Absent: the simulator's, if it is the exchange. */
  readonly macro?: MacroProvider;
  readonly clock: MarketClock;
  /** Market seconds that pass in a wall second now. */
  pace(): number;
  /** Says that the past that is needed is loaded: a made or replayed market takes up its speed. */
  run(): void;
  /** Whether that has been said. */
  readonly running: Promise<void>;
  close(): Promise<void>;
}

/** @throws ConfigError where the archive holds another market */
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
      urls: choice.urls,
      ...(macro === undefined ? {} : { macro }),
      clock: realTime(wall),
      pace: () => 1,
      run() {},
      running: Promise.resolve(),
      close: async () => macro?.close?.(),
    };
  }
  if (nature.made === undefined) throw new TypeError('a market that is not live is made');
  const { market, start } = nature.made;
  const time = await keptTime(archive, { ...options, start });
  const exchanges = await startExchanges({ market, clock: time.clock });
  return {
    urls: exchanges.urls,
    clock: time.clock,
    pace: time.pace,
    run: time.run,
    running: time.running,
    async close() {
      await exchanges.close();
      await time.close();
    },
  };
}

/** What is known of a market before anything of it is collected. */
export interface MarketNature {
  /** As its archive is told. */
  readonly name: string;
  readonly source: MarketSource;
  readonly sourceOf: (feed: string, symbol: string) => MarketSource;
  /** Of one that is made or replayed; its first start begins there, market ms. */
  readonly made?: { readonly market: Market; readonly start: number };
}

/**
 * What this market is, after all that a start reads of it has been read. Changes nothing.
 * @throws ConfigError where the recordings, or the files of other markets, cannot be read
 */
export async function natureOf(choice: MarketChoice): Promise<MarketNature> {
  const source = choice.kind;
  if (choice.kind !== 'live') {
    const { market, name, start } = await openMarket(choice);
    const made = { market, start };
    return { name, source, made, sourceOf: (feed, symbol) => sourceOf(market, { feed, symbol }) };
  }
  if (choice.macro?.kind === 'csv') await readMacroFolder(choice.macro.dir);
  return { name: source, source, sourceOf: () => source };
}

/** Collectors are named after their files, `open-interest`; what a market does not name, its exchanges make. */
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
    const market = syntheticMarket({ seed, ...(symbols === undefined ? {} : { symbols }) });
    return { market, name: `simulated (seed ${seed})`, start: choice.from ?? simulationStart };
  }
  const market = await recordedMarket(choice.dir, { seed: defaultSeed });
  return {
    market,
    name: `recorded (${iso(market.earliest)} to ${iso(market.latest)})`,
    // What lies before the last 60 days is the past that regimes and windows need.
    start: choice.from ?? Math.max(market.earliest, market.latest - 60 * day),
  };
}
