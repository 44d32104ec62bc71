import type { Logger } from 'pino';
import type { WallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import type { AuditedValue, AuditRow } from '../archive/archive.ts';
import { compare } from './compare.ts';
import { askedElsewhere } from './elsewhere.ts';
import { Missed, missOf } from './missed.ts';
import type { AuditQuestion } from './question.ts';
import { audited } from './values.ts';

/** Wall ms after which a question without an answer counts as missed; it may be waiting for its turn at the venue. */
const patience = 30 * second;

export interface AuditRound extends Omit<AuditQuestion, 'symbol' | 'of'> {
  /** Market ms that identify the round in its rows. */
  readonly time: number;
  readonly symbols: readonly string[];
  readonly of: AuditQuestion['of'];
  readonly role: AuditRow['role'];
}

export interface Auditor {
  /** Checks every value of these symbols once. Never rejects: a failure becomes a row as well. */
  audit(round: AuditRound): Promise<AuditRow[]>;
}

export function createAuditor({
  wall,
  log,
  signal,
}: {
  readonly wall: WallClock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Auditor {
  /** Questions that were given up and are still pending. While there are any, nothing further is asked. */
  const waiting = new Set<Promise<unknown>>();

  async function inTime<Answer>(asking: Promise<Answer>): Promise<Answer> {
    const over = new AbortController();
    const late = wall.sleep(patience, AbortSignal.any([signal, over.signal])).then(() => {
      waiting.add(asking);
      asking.catch(() => {}).finally(() => waiting.delete(asking));
      throw new Missed('TOO_SLOW', `not answered within ${patience / second} s`);
    });
    late.catch(() => {});
    return Promise.race([asking, late]).finally(() => over.abort());
  }

  return {
    async audit({ time, symbols, role, ...question }) {
      const blocked = waiting.size > 0;
      const values = role === 'PRIMARY' ? audited : askedElsewhere;
      const one = async (value: AuditedValue, symbol: string): Promise<AuditRow> => {
        const row = { time, value, symbol, venue: question.of.title, role };
        try {
          if (blocked) throw new Missed('TOO_SLOW', 'the questions of the round before still wait');
          const checked = await inTime(values[value]({ ...question, symbol }));
          const { published, asked, title, judged = true, ...rest } = checked;
          const compared = compare({ published, asked }, rest);
          return {
            ...row,
            ...(title !== undefined && { venue: title }),
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
          const known = error instanceof Missed || error instanceof ApiError || signal.aborted;
          if (!known) log.error({ err: error, value, symbol }, 'could not audit a value');
          return { ...row, ...nothing, verdict: 'MISSED', ...missOf(error) };
        }
      };
      const names = Object.keys(values) as AuditedValue[];
      return Promise.all(symbols.flatMap((symbol) => names.map((value) => one(value, symbol))));
    },
  };
}

const nothing = {
  published: null,
  publishedAt: null,
  asked: null,
  askedAt: null,
  difference: null,
  allowed: null,
} as const;
