import type { Logger } from 'pino';
import type { WallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import type { CheckedValue, DataCheck } from '../archive/archive.ts';
import { compare } from './compare.ts';
import { otherVenueChecks } from './elsewhere.ts';
import { asMissed, Missed, missOf } from './missed.ts';
import type { CheckQuestion } from './question.ts';
import { primaryVenueChecks } from './values.ts';

/** Wall ms after which a question without an answer counts as missed; it may be waiting for its turn at the venue. */
const answerTimeout = 30 * second;

interface CheckRound extends Omit<CheckQuestion, 'symbol' | 'listings'> {
  /** Market ms that identify the round in its rows. */
  readonly time: number;
  readonly symbols: readonly string[];
  readonly role: DataCheck['role'];
}

interface Checker {
  /** Checks every value of these symbols once. Never rejects: a failure becomes a row as well. */
  check(round: CheckRound): Promise<DataCheck[]>;
}

export function createChecker({
  wall,
  log,
  signal,
}: {
  readonly wall: WallClock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Checker {
  /** Questions that were given up and are still pending. While there are any, nothing further is asked. */
  const abandoned = new Set<Promise<unknown>>();

  async function withTimeout<Answer>(asking: Promise<Answer>): Promise<Answer> {
    const answered = new AbortController();
    const timeout = wall.sleep(answerTimeout, AbortSignal.any([signal, answered.signal])).then(() => {
      abandoned.add(asking);
      asking.catch(() => {}).finally(() => abandoned.delete(asking));
      throw new Missed('TOO_SLOW', `not answered within ${answerTimeout / second} s`);
    });
    timeout.catch(() => {});
    return Promise.race([asking, timeout]).finally(() => answered.abort());
  }

  return {
    async check({ time, symbols, role, ...given }) {
      const isBlocked = abandoned.size > 0;
      let listed: ReturnType<CheckQuestion['listings']> | undefined;
      const listings = () => {
        listed ??= given.checkedVenue.client.listings();
        return listed;
      };
      const question = { ...given, listings, ask: asMissed(given.ask) };
      const checks = role === 'PRIMARY' ? primaryVenueChecks : otherVenueChecks;
      const checkValue = async (value: CheckedValue, symbol: string): Promise<DataCheck> => {
        const row = { time, value, symbol, role };
        const { title: venue } = given.checkedVenue;
        try {
          if (isBlocked) throw new Missed('TOO_SLOW', 'the questions of the round before still wait');
          const checked = await withTimeout(checks[value]({ ...question, symbol }));
          const { published, asked, title = venue, judged = true, ...rest } = checked;
          const compared = compare({ published, asked }, rest);
          return {
            ...row,
            venue: title,
            ...compared,
            ...(!judged && ({ verdict: 'SHOWN', allowed: null } as const)),
            published: published.value,
            publishedAt: published.time,
            asked: asked.value,
            askedAt: asked.time,
            reason: null,
            detail: null,
          };
        } catch (error) {
          const isExpected = error instanceof Missed || error instanceof ApiError || signal.aborted;
          if (!isExpected) log.error({ err: error, value, symbol }, 'could not check a value');
          return { ...row, venue, ...noComparison, verdict: 'MISSED', ...missOf(error) };
        }
      };
      const names = Object.keys(checks) as CheckedValue[];
      return Promise.all(symbols.flatMap((symbol) => names.map((value) => checkValue(value, symbol))));
    },
  };
}

const noComparison = {
  published: null,
  publishedAt: null,
  asked: null,
  askedAt: null,
  difference: null,
  allowed: null,
} as const;
