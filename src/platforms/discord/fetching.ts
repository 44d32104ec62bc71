import type { RESTOptions } from 'discord.js';

/** A connection that ended under a request: whether it was heard is not known. Undici's code, and the system's. */
const closed = new Set<unknown>(['UND_ERR_SOCKET', 'ECONNRESET']);

/** An interaction's first answer. Discord takes it once and refuses it the second time. */
const firstAnswer = /\/interactions\/\d+\/[^/]+\/callback(?:\?|$)/;

/** Whether Discord may hear it twice: what is posted otherwise would stand there twice. */
const isRepeatable = (method: string, url: string): boolean => method !== 'POST' || firstAnswer.test(url);

/**
 * Requests of discord.js. Our undici installs itself as the dispatcher of all, over which that of discord.js cannot send
 * its forms, that is its pictures. Node's `fetch` can; why it failed it keeps in the cause. What discord.js tries again
 * is what says ECONNRESET, and a proxy that ends a kept connection just as it is used again says something else.
 */
export const fetching: RESTOptions['makeRequest'] = (url, { dispatcher: _, ...init }) =>
  fetch(url, init as RequestInit).catch((error: Error) => {
    const cause = (error.cause ?? error) as Error & { readonly code?: unknown };
    if (!closed.has(cause.code)) throw cause;
    const problem = new Error('Discord or a proxy closed the connection', { cause });
    throw isRepeatable(init.method ?? 'GET', url) ? Object.assign(problem, { code: 'ECONNRESET' }) : problem;
  });
