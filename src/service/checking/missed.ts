import { ApiError, InputError } from '../../runtime/errors.ts';
import type { CheckMiss } from '../archive/archive.ts';
import type { AskOwn } from './published.ts';

/** Thrown if there is nothing to compare. This is a result of the data check like any other, never a failure of the data check. */
export class Missed extends Error {
  override readonly name = 'Missed';
  readonly reason: CheckMiss;

  constructor(reason: CheckMiss, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** The most characters kept of an error, since the same error may be stored a thousand times. */
const maxDetailLength = 200;

/** Asks our own service, whose refusals are thrown as `Missed`, and any other error as it is. */
export const asMissed =
  (ask: AskOwn): AskOwn =>
  (name, query) =>
    ask(name, query).catch((error: unknown) => {
      if (error instanceof ApiError && error.reason === 'not_offered')
        throw new Missed('CANNOT_BE_ASKED', error.message);
      if (error instanceof ApiError || error instanceof InputError)
        throw new Missed('NOT_PUBLISHED', error.message);
      throw error;
    });

/** Converts an error of a question to the reason and the detail that its row stores. */
export function missOf(error: unknown): { readonly reason: CheckMiss; readonly detail: string } {
  const detail = (error instanceof Error ? error.message : String(error)).slice(0, maxDetailLength);
  if (error instanceof Missed) return { reason: error.reason, detail };
  const isRefused =
    error instanceof ApiError && (error.reason === 'rate_limited' || error.reason === 'unauthorized');
  if (isRefused) return { reason: 'REFUSED', detail };
  const isUnknownRow = error instanceof ApiError && error.reason === 'invalid_request';
  return { reason: isUnknownRow ? 'NO_SUCH_ROW' : 'UNREACHABLE', detail };
}
