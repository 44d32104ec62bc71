import { Agent, request } from 'undici';
import type { z } from 'zod';
import type { WallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { minute, second } from '../../runtime/units.ts';
import { failureOf, retryAfterOf } from './failure.ts';
import type { Quota } from './quota.ts';

/** One limit of an upstream: which paths spend from it and the header that reports what was used. */
export interface Limit {
  readonly covers: (path: string) => boolean;
  readonly quota: Quota;
  readonly usedHeader?: string;
}

export interface UpstreamOptions {
  /** Stands before the path in every error. */
  readonly name: string;
  /** URL to which paths are appended. */
  readonly url: string;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  readonly limits?: readonly Limit[];
  /** For one answer, to its last byte; wall ms, 15 s where it is not said. */
  readonly timeout?: number;
}

export interface Question {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Of the limits that cover the path; 1 if not said. */
  readonly cost?: number;
  /** The present is asked for before the past: only then may the whole limit be spent. */
  readonly urgent?: boolean;
}

/** GET over one upstream's REST. Every failure but the signal's own is an ApiError naming upstream and path. */
export interface Upstream {
  get<Answer>(path: string, schema: z.ZodType<Answer>, question?: Question): Promise<Answer>;
  close(): Promise<void>;
}

/** The largest honest answer is the stablecoins' whole history, about 3 MB. */
const bodyLimit = 16 * 1024 * 1024;
const historyShare = 0.7;
const presentShare = 0.95;

export function openUpstream({
  name,
  url,
  wall,
  signal,
  limits = [],
  timeout = 15 * second,
}: UpstreamOptions): Upstream {
  const agent = new Agent({ connections: 16, headersTimeout: timeout, bodyTimeout: timeout });
  let pausedUntil = 0;

  function mayDisturb(endpoint: string) {
    const pause = pausedUntil - wall.now();
    if (pause <= 0) return;
    const message = `asked to be left alone for ${Math.ceil(pause / second)} s`;
    throw new ApiError(endpoint, 'rate_limited', message, { retryAfter: pause });
  }

  async function mayAsk(endpoint: string, path: string, { cost = 1, urgent = false }: Question) {
    mayDisturb(endpoint);
    for (const { quota } of limits.filter(({ covers }) => covers(path))) {
      for (;;) {
        const wait = quota.take(cost, wall.now(), urgent ? presentShare : historyShare);
        if (wait === 0) break;
        await wall.sleep(wait, signal);
        // Others may have been refused meanwhile.
        mayDisturb(endpoint);
      }
    }
  }

  return {
    async get(path, schema, question = {}) {
      const endpoint = `${name} ${path}`;
      await mayAsk(endpoint, path, question);
      signal.throwIfAborted();
      const target = new URL(url + path);
      for (const [key, value] of Object.entries(question.query ?? {})) {
        if (value !== undefined) target.searchParams.set(key, String(value));
      }
      const { status, headers, text } = await fetchText(endpoint, target).catch((cause) => {
        signal.throwIfAborted();
        if (cause instanceof ApiError) throw cause;
        throw new ApiError(endpoint, 'unreachable', 'no answer: is the network up and the address right?', {
          cause,
        });
      });
      for (const { covers, quota, usedHeader } of limits) {
        const used = usedHeader === undefined ? Number.NaN : Number(headers[usedHeader]);
        if (covers(path) && Number.isFinite(used)) quota.observe(used, wall.now());
      }
      if (status === 429 || status === 418) {
        // A ban grows with every request sent into it, so the whole upstream rests.
        const fallback = status === 418 ? 5 * minute : minute;
        pausedUntil = wall.now() + (retryAfterOf(headers['retry-after'], wall.now()) ?? fallback);
      }
      if (status !== 200) throw failureOf(endpoint, status, text, pausedUntil - wall.now());
      const parsed = schema.safeParse(parseJson(endpoint, text));
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      const field = issue?.path.join('.') ?? '';
      throw new ApiError(endpoint, 'malformed', `field "${field}": ${issue?.message ?? 'not as promised'}`, {
        field,
      });
    },
    close: () => agent.destroy(),
  };

  async function fetchText(endpoint: string, target: URL) {
    const response = await request(target, {
      dispatcher: agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      headers: { accept: 'application/json' },
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bodyLimit) {
        throw new ApiError(
          endpoint,
          'malformed',
          `an answer above ${bodyLimit / 1024 / 1024} MB was cut off`,
        );
      }
      chunks.push(chunk);
    }
    return {
      status: response.statusCode,
      headers: response.headers,
      text: Buffer.concat(chunks).toString('utf8'),
    };
  }
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
