/**
 * What the bot knows of the market at this moment, in small pieces under a key each, so that whoever shows it changes
 * what has changed. Times are market ms; a figure that nobody has asked for is absent, never made up.
 */
export interface BoardEntries {
  readonly [market: `market/${string}`]: MarketRow;
  /** Closes of the last day and the price now, oldest first. */
  readonly [trail: `trail/${string}`]: readonly number[];
  /** The last settlements, [time, fraction per settlement], oldest first. */
  readonly [settlements: `settlements/${string}`]: readonly (readonly [at: number, rate: number])[];
  readonly regime?: RegimeNow;
  readonly past?: RegimePast;
  readonly tape?: LiquidationTape;
  /** When each kind of figure came in last. */
  readonly seen?: Readonly<Partial<Record<Figure, SeenAt>>>;
}
export type BoardKey = keyof BoardEntries & string;

/** Kinds of figures that grow old by themselves. */
export type Figure = 'price' | 'funding' | 'interest' | 'basis' | 'ratio' | 'regime' | 'liquidations';

export interface SeenAt {
  readonly at: number;
  /** How often the bot looks, ms: what is older than twice that is old. */
  readonly every: number;
}

export interface MarketRow {
  readonly symbol: string;
  readonly price?: number;
  /** Of the price. */
  readonly at?: number;
  /** Percent. */
  readonly change1h?: number;
  readonly change24h?: number;
  /** −1 to 1. */
  readonly signal?: number;
  /** A fraction per settlement, when it settled, and the hours from one to the next. */
  readonly funding?: number;
  readonly fundingAt?: number;
  readonly fundingHours?: number;
  /** Against the market’s own last 30 days; absent also where it does not stand out. */
  readonly fundingZ?: number;
  /** Of contracts, percent. */
  readonly interest1h?: number;
  /** Percent of the index. */
  readonly basis?: number;
  /** Of top traders’ positions, 0 to 1. */
  readonly longShare?: number;
  /** USD within the last hour. */
  readonly longsLiquidated: number;
  readonly shortsLiquidated: number;
}

export interface RegimeNow {
  readonly state: string;
  /** 0 to 1, of each state. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** When the published state last changed, where that is known. */
  readonly since?: number;
  readonly at: number;
}

export interface RegimePast {
  /** Oldest first: [from, to, state, confidence 0 to 1]. */
  readonly stretches: readonly (readonly [from: number, to: number, state: string, confidence: number])[];
  /** Of bitcoin, [time, price], oldest first. */
  readonly price: readonly (readonly [at: number, price: number])[];
}

export interface LiquidationTape {
  /** Newest first. */
  readonly events: readonly TapeEvent[];
  /** USD within the last hour, over all markets. */
  readonly longs: number;
  readonly shorts: number;
}

export interface TapeEvent {
  readonly symbol: string;
  /** The side that was liquidated. */
  readonly side: string;
  readonly price: number;
  readonly usd: number;
  readonly at: number;
}

export interface Board {
  /** All of it. */
  read(): BoardEntries;
  /** Tells of what has changed, at most twice a second; the last of what changed several times. */
  onPatch(listener: (patch: BoardEntries) => void): void;
}
