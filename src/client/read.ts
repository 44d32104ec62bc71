import type { z } from 'zod';
import { type Endpoint, errorBody } from '../contract/index.ts';
import { ApiError } from '../runtime/errors.ts';
import type { RawAnswer } from './request.ts';

interface Received {
  readonly raw: RawAnswer;
  readonly retryAfter: number | undefined;
  readonly redact: (text: string) => string;
}

/**
 * What an answer means: the record promised, or an ApiError. Unknown fields and labels pass; nothing of the
 * answer but the service's own error text reaches a message, cleaned and cut.
 */
export function read<Answer extends z.ZodType>(
  endpoint: Endpoint<z.ZodType, Answer>,
  { raw, retryAfter, redact }: Received,
): z.output<Answer> {
  const { path } = endpoint;
  const { status, contentType, body } = raw;
  // Redacted before it is cut: half a token is one too many.
  const clean = (text: string) => oneLine(redact(text));
  const fail = (
    reason: ApiError['reason'],
    { message, field }: { readonly message: string; readonly field?: string | undefined },
  ) =>
    new ApiError(path, reason, message, {
      ...(field === undefined ? {} : { field }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  const json = safely((): unknown => JSON.parse(body));
  const refusal = errorBody.safeParse(json);
  const text = refusal.success ? clean(refusal.data.error) : '';
  const said = text === '' ? '' : `: ${text}`;

  if (status === 429) return raise(fail('rate_limited', { message: `too many requests${said}` }));
  if (status === 501 || (status === 404 && endpoint.extension === true))
    return raise(
      fail('not_offered', {
        // Why it lacks it, where it says so: an unknown path says nothing.
        message: (status === 501 && text.replace(`${path}: `, '')) || 'this service does not offer it',
      }),
    );
  if (status === 401 || status === 403)
    return raise(
      fail('unauthorized', { message: `access refused (${status})${said}; check TOCSIN_API_KEY` }),
    );
  if (status >= 500) return raise(fail('server_error', { message: `the service failed (${status})${said}` }));
  if (status >= 400)
    return raise(fail('invalid_request', { message: `the request was refused (${status})${said}` }));
  if (status !== 200)
    return raise(
      fail('malformed', {
        message: `status ${status} instead of an answer; set TOCSIN_API_URL to the service's final address`,
      }),
    );
  if (contentType !== undefined && !/[/+]json\b/i.test(contentType))
    return raise(
      fail('malformed', { message: 'the answer is not JSON by its content type; check TOCSIN_API_URL' }),
    );
  if (json === undefined)
    return raise(fail('malformed', { message: 'the answer is not JSON, or only part of it' }));

  const parsed = safely(() => endpoint.answer.safeParse(json));
  if (parsed?.success) return parsed.data;
  // The interface shows no status for errors: one may come with 200.
  if (said !== '') return raise(fail('invalid_request', { message: `the request was refused${said}` }));
  const issue = parsed?.error.issues[0];
  const field = clean(issue?.path.map(String).join('.') ?? '') || '(the whole answer)';
  return raise(
    fail('malformed', {
      message: `${field} is not as the interface promises: ${clean(issue?.message ?? 'unreadable')}`,
      field,
    }),
  );
}

const raise = (error: ApiError): never => {
  throw error;
};

/** undefined instead of whatever a hostile text can make a parser throw. */
function safely<Value>(attempt: () => Value): Value | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}

/** One line of at most 200 characters: control, format and unpaired surrogate characters become spaces. */
const oneLine = (text: string): string =>
  [
    ...text
      .slice(0, 1_000)
      .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
  ]
    .slice(0, 200)
    .join('');
