import type { Fact } from '../alert/alert.ts';
import type { Card } from '../card/card.ts';
import type { BotStatus } from '../commands/command.ts';
import { ApiError, type ApiErrorReason } from '../runtime/errors.ts';
import { formatDuration, minute } from '../runtime/units.ts';

interface Explanation {
  readonly what: string;
  /** Undefined where asking again helps nothing; `retry` ms where the service did not say itself. */
  readonly retry?: number;
  readonly remedy?: string;
}

const explanations: Record<ApiErrorReason, Explanation> = {
  unreachable: { what: 'the data service cannot be reached', retry: minute },
  rate_limited: { what: 'the data service was asked too often', retry: minute },
  unauthorized: {
    what: 'the data service does not accept the key it was given',
    remedy: 'The operator must set a valid TOCSIN_API_KEY.',
  },
  invalid_request: {
    what: 'the data service refused the question',
    remedy: 'Check the market and the numbers.',
  },
  not_offered: {
    what: 'this data service does not offer it',
    remedy: 'Nothing: another service may offer it.',
  },
  server_error: { what: 'the data service failed', retry: minute },
  malformed: { what: 'the data service sent something unreadable', retry: 5 * minute },
};

const remedy = ({ reason, retryAfter }: ApiError): string => {
  const { retry, remedy: other } = explanations[reason];
  const wait = retryAfter ?? retry;
  return wait === undefined ? (other ?? '') : `Try again in ${formatDuration(Math.max(wait, 1_000))}.`;
};

/** A plain card: what could not be had, when to try again, and how old what the bot knows is. */
export const failureCard = (title: string, error: ApiError, status: BotStatus | undefined): Card => ({
  title: `${title}: no answer`,
  summary: `${sentence(explanations[error.reason].what)}.\n${remedy(error)}`,
  facts: [{ name: 'Asked for', value: error.endpoint }, ...ages(status)],
});

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const ages = (status: BotStatus | undefined): Fact[] => {
  const stale = (status?.feeds ?? []).filter(({ fresh }) => !fresh);
  return stale.slice(0, 5).map(({ name, age, problem }) => ({
    name: `Newest ${name}`,
    value: `${age === undefined ? 'none yet' : `${formatDuration(age)} old`}${problem === undefined ? '' : `: ${problem}`}`,
  }));
};

export interface Part<Value> {
  readonly value?: Value;
  /** Empty where the value is there; else a fact that says what is not, why and when to ask again. */
  readonly missing: readonly Fact[];
}

/** A part an answer can do without: its ApiError becomes a fact beside the rest. */
export async function part<Value>(name: string, answer: Promise<Value>): Promise<Part<Value>> {
  try {
    return { value: await answer, missing: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const value = `${name}: ${explanations[error.reason].what}. ${remedy(error)}`;
    return { missing: [{ name: 'Not available', value }] };
  }
}

/** A fact where data is older than its cadence explains. */
export const caution = (dataTime: number | undefined, now: number, limit: number): Fact[] =>
  dataTime === undefined || now - dataTime <= limit
    ? []
    : [{ name: 'Caution', value: `the newest data is ${formatDuration(now - dataTime)} old` }];
