import type { z } from 'zod';
import { type Endpoint, errorBody } from '../contract/index.ts';
import { ApiError } from '../runtime/errors.ts';
import type { RawAnswer } from './request.ts';

interface Received {
  readonly raw: RawAnswer;
  readonly retryAfter: number | undefined;
  readonly redact: (text: string) => string;
  /** Called with the number of rows and parts that were left out because they are not as the contract promises. */
  readonly onRefused?: ((endpoint: string, count: number) => void) | undefined;
}

/**
 * Parses and checks a response. Unknown fields and labels are accepted. An odd row costs that row: a price of 0 says nothing
 * of the other markets. If more than half of a list is odd, the whole response is. Text of the response enters an error message
 * only without the token, on one line and shortened.
 * @throws ApiError if the response is an error or is not as the contract promises
 */
export function read<Answer extends z.ZodType>(
  endpoint: Endpoint<z.ZodType, Answer>,
  { raw, retryAfter, redact, onRefused }: Received,
): z.output<Answer> {
  const { path } = endpoint;
  const { status, contentType, body } = raw;
  // The token is redacted before the text is shortened: a token that is cut off would not be recognised.
  const clean = (text: string) => oneLine(redact(text));
  const errorFor = (reason: ApiError['reason'], message: string, field?: string) =>
    new ApiError(path, reason, message, { field, retryAfter });
  const json = safely((): unknown => JSON.parse(body));
  const refusal = errorBody.safeParse(json);
  const text = refusal.success ? clean(refusal.data.error) : '';
  const detail = text === '' ? '' : `: ${text}`;

  if (status === 429) throw errorFor('rate_limited', `too many requests${detail}`);
  // With status 501 the service may give the reason; a 404 for an unknown path gives none.
  if (status === 501)
    throw errorFor('not_offered', text.replace(`${path}: `, '') || 'this service does not offer it');
  if (status === 404 && endpoint.extension === true)
    throw errorFor('not_offered', 'this service does not offer it');
  if (status === 401 || status === 403)
    throw errorFor('unauthorized', `access refused (${status})${detail}; check TOCSIN_API_KEY`);
  if (status >= 500) throw errorFor('server_error', `the service failed (${status})${detail}`);
  if (status >= 400) throw errorFor('invalid_request', `the request was refused (${status})${detail}`);
  if (status !== 200)
    throw errorFor(
      'malformed',
      `status ${status} instead of an answer; set TOCSIN_API_URL to the service's final address`,
    );
  if (json === undefined && contentType !== undefined && !/[/+]json\b/i.test(contentType))
    throw errorFor('malformed', 'the answer is not JSON by its content type; check TOCSIN_API_URL');
  if (json === undefined) throw errorFor('malformed', 'the answer is not JSON, or only part of it');

  const parsed = safely(() => endpoint.answer.safeParse(json));
  if (parsed?.success) return parsed.data;
  const rest = detail === '' && parsed ? withoutOddParts(json, parsed.error.issues) : undefined;
  const reparsed = rest && safely(() => endpoint.answer.safeParse(rest.json));
  if (rest && reparsed?.success) {
    onRefused?.(path, rest.count);
    return reparsed.data;
  }
  // The interface does not specify a status for errors, so an error may come with status 200.
  if (detail !== '') throw errorFor('invalid_request', `the request was refused${detail}`);
  const issue = parsed?.error.issues[0];
  const field = clean(issue?.path.map(String).join('.') ?? '') || '(the whole answer)';
  const problem = clean(issue?.message ?? 'unreadable');
  throw errorFor('malformed', `${field} is not as the interface promises: ${problem}`, field);
}

/**
 * Returns the response without the rows of its lists, and without the parts besides, in which something is odd. Undefined if
 * more than half of a list is.
 */
function withoutOddParts(
  json: unknown,
  issues: readonly z.core.$ZodIssue[],
): { readonly json: unknown; readonly count: number } | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  const rest: Record<string, unknown> = { ...json };
  const oddParts = Map.groupBy(issues, ({ path: [name] }) => String(name));
  let count = 0;
  for (const [name, found] of oddParts) {
    const list = rest[name];
    const rows = new Set(found.map(({ path: [, index] }) => index));
    if (!Array.isArray(list)) delete rest[name];
    else if (2 * rows.size > list.length) return undefined;
    else rest[name] = list.filter((_, index) => !rows.has(index));
    count += Array.isArray(list) ? rows.size : 1;
  }
  return { json: rest, count };
}

/** Returns undefined if the attempt throws, because a hostile text can make a parser throw anything. */
function safely<Value>(attempt: () => Value): Value | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}

/** Returns one line of at most 200 characters. Control, format and unpaired surrogate characters become spaces. */
const oneLine = (text: string): string =>
  [
    ...text
      .slice(0, 1_000)
      .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
  ]
    .slice(0, 200)
    .join('');
