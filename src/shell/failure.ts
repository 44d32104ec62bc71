import type { Fact } from '../alert/alert.ts';
import type { Card } from '../card/card.ts';
import { span } from '../language/format.ts';
import { join, lines, msg, type Text } from '../language/text.ts';
import { ApiError, type ApiErrorReason } from '../runtime/errors.ts';
import { minute } from '../runtime/units.ts';
import type { BotStatus, Problem } from './command.ts';

interface Explanation {
  /** A sentence. */
  readonly what: Text;
  /** Undefined where asking again helps nothing; `retry` ms where the service did not say itself. */
  readonly retry?: number;
  readonly remedy?: Text;
}

const explanations: Record<ApiErrorReason, Explanation> = {
  unreachable: { what: msg('The data service cannot be reached.'), retry: minute },
  rate_limited: { what: msg('The data service was asked too often.'), retry: minute },
  share_spent: { what: msg('You, or this chat, asked a lot just now.'), retry: minute },
  unauthorized: {
    what: msg('The data service does not accept the key it was given.'),
    remedy: msg('The operator must set a valid TOCSIN_API_KEY.'),
  },
  invalid_request: {
    what: msg('The data service refused the question.'),
    remedy: msg('Check the market and the numbers.'),
  },
  not_offered: {
    what: msg('This data service does not offer it.'),
    remedy: msg('Another service may offer it.'),
  },
  server_error: { what: msg('The data service failed.'), retry: minute },
  malformed: { what: msg('The data service sent something unreadable.'), retry: 5 * minute },
};

/** What a service says of itself is said as it is. */
export const problemText = ({ message, reason }: Problem): Text =>
  reason === undefined ? message : explanations[reason].what;

const remedy = ({ reason, retryAfter }: ApiError): Text | undefined => {
  const { retry, remedy: other } = explanations[reason];
  const wait = retryAfter ?? retry;
  return wait === undefined ? other : msg('Try again in {wait}.', { wait: span(Math.max(wait, 1_000)) });
};

/** A plain card: what could not be had, when to try again, and how old what the bot knows is. */
export const failureCard = (
  name: Text,
  { error, status }: { readonly error: ApiError; readonly status: BotStatus | undefined },
): Card => ({
  title: msg('{name}: no answer', { name }),
  summary: lines(explanations[error.reason].what, remedy(error)),
  // Who asked too much needs to know when to come back, and nothing of the feeds.
  ...(error.reason !== 'share_spent' && {
    facts: [{ name: msg('Asked for'), value: error.endpoint }, ...ages(status)],
  }),
});

const ages = (status: BotStatus | undefined): Fact[] => {
  const stale = (status?.feeds ?? []).filter(({ fresh }) => !fresh);
  return stale.slice(0, 5).map(({ name, age, problem }) => ({
    name: msg('Newest {feed}', { feed: name }),
    value: join(
      [
        age === undefined ? msg('none yet') : msg('{age} old', { age: span(age) }),
        problem && problemText(problem),
      ],
      ': ',
    ),
  }));
};

export interface AnswerPart<Value> {
  readonly value?: Value;
  readonly error?: ApiError;
  /** Empty where the value is there; else a fact that says what is not, why and when to ask again. */
  readonly missing: readonly Fact[];
}

/** A part an answer can do without: its ApiError becomes a fact beside the rest. */
export async function part<Value>(name: Text, answer: Promise<Value>): Promise<AnswerPart<Value>> {
  try {
    return { value: await answer, missing: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why = join([explanations[error.reason].what, remedy(error)], ' ');
    return {
      error,
      missing: [{ name: msg('Not available'), value: msg('{name}: {why}', { name, why }) }],
    };
  }
}

/** The same for what a service need not have: where it does not offer it, nothing is missing. */
export async function extra<Value>(name: Text, answer: Promise<Value>): Promise<AnswerPart<Value>> {
  const known = await part(name, answer);
  return known.error?.reason === 'not_offered' ? { missing: [] } : known;
}

/** A fact where data is older than its cadence explains. */
export const caution = (
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
