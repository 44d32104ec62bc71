import type { RESTOptions } from 'discord.js';

/**
 * Error codes (undici's, the system's) of a connection closed during a request: it is not known whether the request arrived.
 */
const closedCodes = new Set<unknown>(['UND_ERR_SOCKET', 'ECONNRESET']);

/** The URL of the first response to an interaction. Discord accepts it once and refuses a repetition. */
const firstAnswer = /\/interactions\/\d+\/[^/]+\/callback(?:\?|$)/;

/** Tells whether a request may be sent twice. Any other POST, repeated, would post its message twice. */
const isRepeatable = (method: string, url: string): boolean => method !== 'POST' || firstAnswer.test(url);

/**
 * Sends the requests of discord.js with Node's `fetch`. Our version of undici installs itself as the global dispatcher, and
 * with that the undici of discord.js cannot send forms, which it needs for pictures. `fetch` gives the reason of a failure
 * as the error's cause. discord.js only retries errors with the code ECONNRESET, but a proxy that closes a kept-alive
 * connection just as it is reused causes another code; repeatable requests therefore fail with ECONNRESET.
 */
export const fetchWithNode: RESTOptions['makeRequest'] = (url, { dispatcher: _, ...init }) =>
  fetch(url, init as RequestInit).catch((error: Error) => {
    const cause = (error.cause ?? error) as Error & { readonly code?: unknown };
    if (!closedCodes.has(cause.code)) throw cause;
    const problem = new Error('Discord or a proxy closed the connection', { cause });
    throw isRepeatable(init.method ?? 'GET', url) ? Object.assign(problem, { code: 'ECONNRESET' }) : problem;
  });
