import { ApiError, InputError } from '../../runtime/errors.ts';
import type { AuditMiss } from '../archive/archive.ts';

/** There is nothing to compare: a result of an audit like any other, and never a failure of it. */
export class Missed extends Error {
  override readonly name = 'Missed';
  readonly reason: AuditMiss;

  constructor(reason: AuditMiss, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** As long as any error is worth keeping a thousand times. */
const longest = 200;

/** What became of a question to our own service. */
export function unpublished(error: unknown): unknown {
  if (error instanceof ApiError && error.reason === 'not_offered')
    return new Missed('CANNOT_BE_ASKED', error.message);
  if (error instanceof ApiError || error instanceof InputError)
    return new Missed('NOT_PUBLISHED', error.message);
  return error;
}

/** What became of a question to a venue, as its row has it. */
export function missOf(error: unknown): { readonly reason: AuditMiss; readonly detail: string } {
  const detail = (error instanceof Error ? error.message : String(error)).slice(0, longest);
  if (error instanceof Missed) return { reason: error.reason, detail };
  const refused =
    error instanceof ApiError && (error.reason === 'rate_limited' || error.reason === 'unauthorized');
  if (refused) return { reason: 'REFUSED', detail };
  const unknown = error instanceof ApiError && error.reason === 'invalid_request';
  return { reason: unknown ? 'NO_SUCH_ROW' : 'UNREACHABLE', detail };
}
