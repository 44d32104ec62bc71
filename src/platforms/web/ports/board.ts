/**
 * The current state of the market as the bot knows it, in small entries under one key each, so that a page can update only
 * the entries that changed. Times are market ms. A figure that the bot has not fetched is absent, never invented.
 */
export interface BoardEntries {
  readonly [market: `market/${string}`]: MarketRow;
  /** Closes of the last day and the price now, oldest first. */
  readonly [trail: `trail/${string}`]: readonly number[];
  /** The last funding settlements: [time, rate as a fraction per settlement], oldest first. */
  readonly [settlements: `settlements/${string}`]: readonly (readonly [at: number, rate: number])[];
  readonly regime?: RegimeNow;
  readonly breadth?: RegimeBreadth;
  readonly past?: RegimePast;
  readonly tape?: LiquidationTape;
  /** When the bot last received each kind of figure. */
  readonly seen?: Readonly<Partial<Record<Figure, SeenAt>>>;
}
export type BoardKey = keyof BoardEntries & string;

/** The entries that have changed. Null: there is no such entry any more, because its market is not tracked any more. */
export type BoardPatch = { readonly [Key in keyof BoardEntries]: BoardEntries[Key] | null };

/** The kinds of figures whose age the board tracks. */
export type Figure = 'price' | 'funding' | 'interest' | 'basis' | 'ratio' | 'regime' | 'liquidations';

export interface SeenAt {
  readonly at: number;
  /** How often the bot fetches this figure, ms. A figure older than twice this interval counts as outdated. */
  readonly every: number;
}

export interface MarketRow {
  readonly symbol: string;
  readonly price?: number | undefined;
  readonly at?: number | undefined;
  /** Changes of the price, percent. */
  readonly change1h?: number | undefined;
  readonly change24h?: number | undefined;
  /** The last funding rate, a fraction per settlement. */
  readonly funding?: number | undefined;
  /** Time of that settlement. */
  readonly fundingAt?: number | undefined;
  /** Hours from one settlement to the next. */
  readonly fundingHours?: number | undefined;
  /** Z-score of the funding rate against the market’s own last 30 days; also absent if it cannot be computed. */
  readonly fundingZ?: number | undefined;
  /** Change of the open interest within an hour, counted in contracts, percent. */
  readonly interest1h?: number | undefined;
  /** The basis in percent of the index price. */
  readonly basis?: number | undefined;
  /** The market's published regime, and the likeliest state if that is another. */
  readonly regime?: string | undefined;
  readonly likelierRegime?: string | undefined;
  /** Share of long positions among the top traders’ positions, 0 to 1. */
  readonly longShare?: number | undefined;
  /** USD within the last hour. */
  readonly longsLiquidated: number;
  readonly shortsLiquidated: number;
}

export interface RegimeNow {
  readonly state: string;
  /** Probability of each state, 0 to 1. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The likeliest state, if that is not `state`. */
  readonly likelier?: string | undefined;
  /** When the published state last changed; absent if that is not known. */
  readonly since?: number | undefined;
  readonly at: number;
}

/** Share of the markets in each state, 0 to 1. */
export interface RegimeBreadth {
  readonly shares: Readonly<Record<string, number>>;
  /** Of how many markets: soon after a start few are known. */
  readonly count: number;
}

export interface RegimePast {
  /** Oldest first: [from, to, state, confidence 0 to 1]. */
  readonly stretches: readonly (readonly [from: number, to: number, state: string, confidence: number])[];
  /** Bitcoin's price: [time, price], oldest first. */
  readonly price: readonly (readonly [at: number, price: number])[];
}

export interface LiquidationTape {
  /** Newest first. */
  readonly events: readonly TapeEvent[];
  /** USD within the last hour, over all markets. */
  readonly longs: number;
  readonly shorts: number;
  /** The exchanges whose liquidations these are, and how much of them each publishes; empty: of the first alone. */
  readonly coverage: readonly { readonly title: string; readonly publishes: string }[];
}

export interface TapeEvent {
  readonly symbol: string;
  readonly side: string;
  readonly price: number;
  readonly usd: number;
  readonly at: number;
}

export interface Board {
  read(): BoardEntries;
  /**
   * Calls the listener with the entries that have changed, at most twice a second; each entry has its latest value.
   * @param isWanted while it returns false, changes are not looked for. Absent: they always are
   */
  onPatch(listener: (patch: BoardPatch) => void, isWanted?: () => boolean): void;
}
