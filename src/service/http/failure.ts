import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError, InputError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';

export const sendError = (reply: FastifyReply, status: number, error: string): FastifyReply =>
  reply.code(status).type('application/json; charset=utf-8').send({ error });

/** Returns a function that sends the response to a thrown error. The response reveals only messages written for callers. */
export const failureSender =
  (log: Logger) =>
  (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (error instanceof InputError) {
      sendError(reply, 400, error.message);
    } else if (error instanceof ApiError && error.reason === 'not_offered') {
      sendError(reply, 501, error.message);
    } else if (error instanceof ApiError) {
      // Not 503: that would say that the whole service is unavailable, and clients would ask it nothing else either.
      reply.header('retry-after', Math.ceil((error.retryAfter ?? 5 * second) / second));
      sendError(reply, 502, error.message);
    } else if ('statusCode' in error && error.statusCode !== undefined && error.statusCode < 500) {
      // Fastify's own refusals: a malformed URL, a body too large or of an unknown type.
      sendError(reply, error.statusCode, refusals[error.statusCode] ?? 'Malformed request');
    } else {
      log.error({ err: error, url: request.url }, 'a request failed');
      sendError(reply, 500, 'Internal error');
    }
  };

const refusals: Readonly<Record<number, string>> = {
  413: 'The body is too large',
  414: 'The address is too long',
  415: 'Only application/json is understood',
};
