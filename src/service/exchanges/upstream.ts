import type { z } from 'zod';
import type { WallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { createSlots } from '../../runtime/slots.ts';
import { withTimeLimit } from '../../runtime/time-limit.ts';
import { second } from '../../runtime/units.ts';
import { failureOf } from './failure.ts';
import { type Memory, noMemory, openGate, type Pool, type RequestCost } from './gate.ts';
import type { OnRowsDropped, Rows } from './rows.ts';
import { httpTransport, maxConnections, type Reply, type Transport } from './transport.ts';

export interface UpstreamOptions {
  /** The upstream's name, put before the path in every error message. */
  readonly name: string;
  /** URL to which paths are appended. */
  readonly url: string;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  readonly pools?: readonly Pool[];
  /** Stores pauses and used-up limits across restarts. Absent: they are lost when the process ends. */
  readonly memory?: Memory | undefined;
  /** Timeout of one complete response, wall ms. Absent: 15 s. */
  readonly timeout?: number;
  readonly proxy?: string | undefined;
  /** Returns the HTTP status that a response really means, for upstreams that report errors with another status. */
  readonly effectiveStatus?: ((answer: Pick<Reply, 'status' | 'text'>) => number) | undefined;
  readonly onRowsDropped?: OnRowsDropped | undefined;
  /** Called with each failure before it is thrown: a caller of several requests sees only the first. */
  readonly onFailure?: ((failure: ApiError) => void) | undefined;
  /** Replaces the network, for example in tests. Absent: the network. */
  readonly transport?: Transport | undefined;
}

export interface UpstreamQuestion extends RequestCost {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** JSON body, sent by POST. Errors name its `type` instead of the path, which is the same for all requests. */
  readonly post?: { readonly type: string };
}

interface UpstreamRequest {
  readonly path: string;
  readonly question: UpstreamQuestion;
}

/** What is asked, and the schema of the answer. */
export interface Asked<Answer> extends UpstreamQuestion {
  readonly schema: z.ZodType<Answer>;
}

export type Upstream = ReturnType<typeof openUpstream>;

/**
 * Opens the REST client of one upstream. Every failure except an abort by the signal is an ApiError that names upstream and path.
 * `Path`: the paths that may be asked for.
 */
export function openUpstream<Path extends string>(options: UpstreamOptions) {
  const { name, url, wall, signal, pools = [], memory = noMemory, timeout = 15 * second, proxy } = options;
  const { effectiveStatus = ({ status }) => status } = options;
  const transport = options.transport ?? httpTransport({ timeout, proxy });
  const proxySuffix = proxy === undefined ? '' : ` by ${new URL(proxy).host}`;
  const gate = openGate(`${url}${proxySuffix}`, { pools, memory, wall, signal });

  const inSlot = createSlots(maxConnections);
  /** Responses under way, by request: an identical request made meanwhile shares the response. */
  const pendingAnswers = new Map<string, Promise<unknown>>();

  async function ask(endpoint: string, { path, question }: UpstreamRequest): Promise<unknown> {
    await gate.pass(endpoint, path, question);
    signal.throwIfAborted();
    const target = new URL(url + path);
    for (const [key, value] of Object.entries(question.query ?? {})) {
      if (value !== undefined) target.searchParams.set(key, String(value));
    }
    const post = question.post && JSON.stringify(question.post);
    const send = async () => {
      // Another request may have been refused while this one waited: a request into a ban lengthens the ban.
      gate.throwIfPaused(endpoint, path);
      const reply = await withTimeLimit(timeout, {
        signal,
        work: (limited) => transport.get(endpoint, { target, post, signal: limited }),
      });
      const status = effectiveStatus(reply);
      await gate.check(endpoint, path, { ...reply, status });
      return { status, text: reply.text };
    };
    const { status, text } = await inSlot(send).catch((cause) => {
      signal.throwIfAborted();
      if (cause instanceof ApiError) throw cause;
      throw new ApiError(endpoint, 'unreachable', 'no answer: is the network up and the address right?', {
        cause,
      });
    });
    if (status !== 200) throw failureOf(endpoint, status, text);
    return parseJson(endpoint, text);
  }

  function askShared(endpoint: string, request: UpstreamRequest): Promise<unknown> {
    return pendingAnswers.getOrInsertComputed(JSON.stringify(request), (key) =>
      ask(endpoint, request).finally(() => pendingAnswers.delete(key)),
    );
  }

  const endpointOf = (path: Path, { post }: UpstreamQuestion) => `${name} ${post?.type ?? path}`;

  async function get<Answer>(path: Path, { schema, ...question }: Asked<Answer>): Promise<Answer> {
    const endpoint = endpointOf(path, question);
    try {
      return parseAnswer(endpoint, schema.safeParse(await askShared(endpoint, { path, question })));
    } catch (error) {
      if (error instanceof ApiError) options.onFailure?.(error);
      throw error;
    }
  }

  return {
    get,
    /** Returns a list as its schema reads it, and reports the rows that are invalid. */
    async getRows<Answer extends Rows<unknown>>(path: Path, asked: Asked<Answer>): Promise<Answer> {
      const answer = await get(path, asked);
      const { received: of, dropped, example } = answer;
      if (dropped > 0) options.onRowsDropped?.({ endpoint: endpointOf(path, asked), dropped, of, example });
      return answer;
    },
    close: () => transport.close(),
  };
}

function parseAnswer<Answer>(endpoint: string, parsed: z.ZodSafeParseResult<Answer>): Answer {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new ApiError(endpoint, 'malformed', `field "${field}": ${issue?.message ?? 'not as promised'}`, {
    field,
  });
}

function parseJson(endpoint: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const kind = text.trimStart().startsWith('<') ? 'HTML' : `${text.length} characters that are not JSON`;
    throw new ApiError(
      endpoint,
      'malformed',
      `answered ${kind}: is the address right, is a proxy in between?`,
      { cause },
    );
  }
}
