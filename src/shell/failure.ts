import type { Fact } from '../alert/alert.ts';
import type { Card, Failure } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { marketName, share, span } from '../language/format.ts';
import { join, lines, msg, type Text } from '../language/text.ts';
import { ApiError, type ApiErrorReason, DatabaseAway, DatabaseLost } from '../runtime/errors.ts';
import { minute } from '../runtime/units.ts';
import type { BotStatus, Problem } from './command.ts';

interface Explanation {
  /** What went wrong, in a sentence. */
  readonly what: Text;
  /** After how many ms to ask again, if the service does not say. Undefined if asking again does not help. */
  readonly retryDelay?: number;
  readonly remedy?: Text;
  /** Whether it says that there is no data now, whatever is asked. */
  readonly isAbsence?: true;
}

const explanations: Record<ApiErrorReason, Explanation> = {
  unreachable: { what: msg('The data service cannot be reached.'), retryDelay: minute, isAbsence: true },
  rate_limited: {
    what: msg('The data service was asked too often.'),
    retryDelay: minute,
    isAbsence: true,
  },
  share_spent: { what: msg('You, or this chat, asked a lot just now.'), retryDelay: minute },
  unauthorized: {
    what: msg('The data service does not accept the key it was given.'),
    remedy: msg('The operator must set a valid TOCSIN_API_KEY.'),
    isAbsence: true,
  },
  invalid_request: {
    what: msg('The data service refused the question.'),
    remedy: msg('Check the market and the numbers.'),
  },
  not_offered: {
    what: msg('This data service does not offer it.'),
    remedy: msg('Another service may offer it.'),
  },
  server_error: { what: msg('The data service failed.'), retryDelay: minute, isAbsence: true },
  malformed: {
    what: msg('The data service sent something unreadable.'),
    retryDelay: 5 * minute,
    isAbsence: true,
  },
};

/** Explains a problem. A problem without a reason code is a message of the service itself, and shown as it is. */
export const problemText = ({ message, reason }: Problem): Text =>
  reason === undefined ? message : explanations[reason].what;

/** Says whose turn it is after an error, for programs. */
export function failureOf(error: unknown): Failure {
  if (error instanceof UserError) return { code: error.code };
  if (error instanceof ApiError) {
    const { reason, retryAfter } = error;
    if (reason === 'invalid_request') return { code: 'invalid' };
    if (reason === 'not_offered') return { code: 'unknown' };
    return { code: 'unavailable', retryAfter: retryAfter ?? explanations[reason].retryDelay };
  }
  const isLate = error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name);
  return error instanceof DatabaseLost || error instanceof DatabaseAway || isLate
    ? { code: 'unavailable' }
    : { code: 'defect' };
}

const remedy = ({ reason, retryAfter }: ApiError): Text | undefined => {
  const { retryDelay: retry, remedy: other } = explanations[reason];
  const wait = retryAfter ?? retry;
  return wait === undefined ? other : msg('Try again in {wait}.', { wait: span(Math.max(wait, 1_000)) });
};

interface Failed {
  readonly error: ApiError;
  readonly status: BotStatus | undefined;
  /** The market that was asked about, if it is not among those that are traded. */
  readonly untraded?: string | undefined;
}

/** Builds a card for a failed request: what is not available, since when, and when to try again. */
export function failureCard({ error, status, untraded }: Failed): Card {
  const { reason } = error;
  if (reason === 'invalid_request' && untraded !== undefined)
    return {
      title: msg('{symbol} is no longer traded', { symbol: marketName(untraded) }),
      actions: [{ label: msg('The market now'), command: 'market' }],
    };
  const { isAbsence } = explanations[reason];
  const what = whatHappened(error);
  if (status !== undefined && isLoading(error, status))
    return {
      title: msg('Market data is still loading'),
      ...said(
        status.loaded === undefined
          ? undefined
          : msg('Its history is still loading: {share}.', { share: share(status.loaded) }),
        remedy(error),
      ),
      actions: [{ label: msg('Status'), command: 'status' }],
    };
  if (isAbsence !== true || lacksOne(error, status))
    return { title: msg('Not available'), ...said(what, remedy(error)) };
  return {
    title: msg('Market data is unavailable right now'),
    ...said(lastUpdate(status), reason === 'unreachable' ? undefined : what, remedy(error)),
    actions: [{ label: msg('Status'), command: 'status' }],
  };
}

/** Whether the answer is missing because the service has only just begun: that is no failure. */
const isLoading = ({ reason, retryAfter }: ApiError, { ready, loaded }: BotStatus): boolean =>
  reason === 'server_error' && retryAfter !== undefined && (!ready || loaded !== undefined);

/** Whether the answer alone is missing, as one about a market that was listed minutes ago: there is other data. */
const lacksOne = ({ reason, retryAfter }: ApiError, status: BotStatus | undefined): boolean =>
  reason === 'server_error' &&
  retryAfter !== undefined &&
  (status?.feeds.some(({ fresh }) => fresh) ?? false);

/** A service that says when to ask again has not failed: it has no answer yet. */
const whatHappened = ({ reason, retryAfter }: ApiError): Text =>
  reason === 'server_error' && retryAfter !== undefined
    ? msg('The data service has no answer to this yet.')
    : explanations[reason].what;

const said = (...parts: readonly (Text | undefined)[]): Pick<Card, 'summary'> =>
  parts.some((part) => part !== undefined) ? { summary: lines(...parts) } : {};

const lastUpdate = (status: BotStatus | undefined): Text | undefined => {
  const ages = (status?.feeds ?? []).flatMap(({ age }) => age ?? []);
  return ages.length === 0 ? undefined : msg('Last update {age} ago.', { age: span(Math.min(...ages)) });
};

export interface AnswerPart<Value> {
  readonly value?: Value;
  readonly error?: ApiError;
  /** Empty if there is a value. Otherwise a fact that says what is missing, why, and when to ask again. */
  readonly missing: readonly Fact[];
}

/** Awaits a part that the answer can do without. An ApiError becomes a fact beside the rest of the answer. */
export async function awaitPart<Value>(name: Text, answer: Promise<Value>): Promise<AnswerPart<Value>> {
  try {
    return { value: await answer, missing: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why = join([whatHappened(error), remedy(error)], ' ');
    return {
      error,
      missing: [{ name: msg('Not available'), value: msg('{name}: {why}', { name, why }) }],
    };
  }
}

/** Awaits a part as `awaitPart` does, but an optional one: if the service does not offer it, nothing is reported as missing. */
export async function awaitOptionalPart<Value>(
  name: Text,
  answer: Promise<Value>,
): Promise<AnswerPart<Value>> {
  const result = await awaitPart(name, answer);
  return result.error?.reason === 'not_offered' ? { missing: [] } : result;
}

/** Returns a warning fact if the data is older than `limit`, ms. */
export const staleDataFacts = (
  dataTime: number | undefined,
  { now, limit }: { readonly now: number; readonly limit: number },
): Fact[] =>
  dataTime === undefined || now - dataTime <= limit
    ? []
    : [
        {
          name: msg('Caution'),
          value: msg('the newest data is {age} old', { age: span(now - dataTime) }),
        },
      ];
