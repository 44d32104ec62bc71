import type { Logger } from 'pino';
import { contract, type EndpointAnswer } from '../../contract/index.ts';
import { aborted } from '../../runtime/aborted.ts';
import type { MarketClock, WallClock } from '../../runtime/clock.ts';
import { minute, second } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import type { MarketSource } from '../archive/sources.ts';
import type { PrimaryCollecting } from '../collecting/primary.ts';
import type { Bodies } from '../http/kept-bodies.ts';
import { parseQuery } from '../http/query.ts';
import type { AskOwn } from './published.ts';
import type { CheckedVenue } from './question.ts';

export interface CheckSettings {
  /** Market ms between two rounds. */
  readonly every: number;
  /** How many symbols are checked in a round; 0: nothing is checked. */
  readonly symbols: number;
}

const defaultChecks: CheckSettings = { every: 10 * minute, symbols: 3 };

/** The least wall ms between two rounds when the market runs faster than real time. */
const minPause = 30 * second;

/** Returns the symbols of a round, in turn: every symbol is checked once before any is checked again. */
export const symbolsIn = (round: number, symbols: readonly string[], count: number): string[] =>
  Array.from(
    { length: Math.min(count, symbols.length) },
    (_, index) => symbols[(round * count + index) % symbols.length] as string,
  );

/** Checks a sample of the published values round after round and stores the results, from `after` on until the signal. */
export async function keepDataChecks(options: {
  /** Absent: three symbols every ten minutes. */
  readonly settings: CheckSettings | undefined;
  readonly archive: Pick<Archive, 'writeDataChecks' | 'liquidations' | 'get' | 'last'>;
  readonly bodies: Pick<Bodies, 'get'>;
  readonly source: MarketSource;
  readonly venues: Pick<PrimaryCollecting, 'otherVenues' | 'exchanges' | 'universe'>;
  readonly clock: MarketClock;
  readonly wall: WallClock;
  readonly log: Logger;
  readonly after: Promise<void>;
  readonly signal: AbortSignal;
  readonly onChecked: () => void;
}): Promise<void> {
  const { settings = defaultChecks, archive, source, venues, clock, wall, log, signal } = options;
  // The answers that callers get, cached ones included, so that one that was not made anew when it should have been is found.
  const ask: AskOwn = async (name, query) => {
    const { bytes } = await options.bodies.get(name, parseQuery(name, query));
    return contract[name].answer.parse(JSON.parse(bytes.toString())) as EndpointAnswer<typeof name>;
  };
  if (settings.symbols === 0) return;
  await Promise.race([options.after, aborted(signal)]);
  // Loaded after the start of the service, which does not need it.
  const { createChecker } = await import('./round.ts');
  // Two checkers, so that neither is blocked by questions of the other that hang.
  const primaryChecker = createChecker({ wall, log, signal });
  const otherChecker = createChecker({ wall, log, signal });
  const minInterval = Math.min(settings.every, minPause);
  const roundLength = Math.max(settings.every, minInterval * clock.speed);
  // Rounds start with a delay of a quarter of their length, because collectors send requests at whole five minutes.
  const quarter = roundLength / 4;
  // Counted on from there, and not by the time: a market in which every second round is late would leave out half the symbols.
  for (let round = Math.floor(clock.now() / roundLength); !signal.aborted; round += 1) {
    try {
      await checkRound(round);
    } catch (error) {
      log.error({ err: error }, 'could not check what is published; retrying at the next round');
    }
    const due = (Math.floor((clock.now() - quarter) / roundLength) + 1) * roundLength + quarter;
    await wall.sleep(Math.max(minInterval / 2, clock.wallUntil(due)), signal).catch(() => {});
  }

  async function checkRound(round: number): Promise<void> {
    const exchanges = venues.exchanges();
    if (exchanges === undefined) return;
    const question = {
      time: Math.floor(clock.now()),
      symbols: symbolsIn(round, venues.universe(), settings.symbols),
      ask,
      archive,
      now: () => Math.floor(clock.now()),
      // The time that collecting/universe.ts, too, allows a response to be under way before it reports a wrong clock.
      transit: 2 * second * clock.speed,
    };
    const others = venues.otherVenues();
    // The other venues take turns, one per round.
    const other = others[round % others.length];
    const { venue, markets: client } = exchanges;
    // A simulated or recorded market only imitates a venue, and the venues beside it are simulated: the titles say so.
    const isLive = source === 'live';
    const primary: CheckedVenue = { venue, client, title: isLive ? venue.title : `${source} exchange` };
    const beside: CheckedVenue | undefined = other && {
      ...other,
      title: isLive ? other.venue.title : `simulated ${other.venue.title}`,
    };
    const rows = await Promise.all([
      primaryChecker.check({ ...question, checkedVenue: primary, role: 'PRIMARY' }),
      beside === undefined ? [] : otherChecker.check({ ...question, checkedVenue: beside, role: 'SECOND' }),
    ]);
    if (signal.aborted) return;
    await archive.writeDataChecks(rows.flat());
    options.onChecked();
  }
}
