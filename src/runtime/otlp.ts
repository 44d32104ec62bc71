import type { Logger } from 'pino';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import type { Clock, WallClock } from './clock.ts';
import { startLoop } from './loop.ts';
import { parseRetryAfter } from './retry-after.ts';
import { type Secret, scrub } from './secret.ts';
import { createSpans, type FinishedSpan } from './spans.ts';
import type { Attributes, Tracer } from './tracer.ts';
import { second } from './units.ts';
import { resolvesWithin } from './within.ts';

/**
 * Values of the OpenTelemetry SDKs (BatchSpanProcessor): spans per request, spans kept at most, and wall ms between two
 * requests.
 */
const batch = 512;
const longestQueue = 2_048;
const every = 5 * second;
const timeout = 10 * second;
/** How long the last spans may take to be sent at the end, wall ms. */
const closeTimeout = 2 * second;
/**
 * Statuses after which an exporter tries again. After any other the specification requires that the refused spans are
 * dropped.
 */
const retriable = [429, 502, 503, 504];

const partial = z.object({
  partialSuccess: z
    .object({ rejectedSpans: z.coerce.number().default(0), errorMessage: z.string().default('') })
    .optional(),
});

interface OtlpOptions {
  /** The collector's root, e.g. `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  /** In the format of OTEL_EXPORTER_OTLP_HEADERS: `name=value,…`, values percent-encoded. */
  readonly headers: Secret | null;
  readonly service: string;
  /** Version of this program. */
  readonly version: string;
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly http?: Dispatcher;
}

interface OtlpTracer extends Tracer {
  /** Sends the spans that have ended first, as far as that is quick. */
  close(): Promise<void>;
}

/**
 * Creates a tracer that sends spans to a collector by OTLP/HTTP in JSON (opentelemetry.io/docs/specs/otlp). A collector
 * that cannot be reached costs the memory of `longestQueue` spans at most: newer spans are dropped, and the log says so
 * once.
 */
export function createOtlpTracer(options: OtlpOptions): OtlpTracer {
  const { wall, steady, log } = options;
  let waiting: FinishedSpan[] = [];
  let dropped = 0;
  let lastProblem: string | undefined;
  const logChange = (problem: string | undefined) => {
    if (problem === lastProblem) return;
    if (problem !== undefined) log.warn({ problem: scrub(problem) }, 'traces do not reach their collector');
    else log.info({ dropped }, 'traces reach their collector again');
    if (problem === undefined) dropped = 0;
    lastProblem = problem;
  };

  const send = async (): Promise<number> => {
    const sent = waiting.slice(0, batch);
    if (sent.length === 0) return every;
    const { wait, problem } = await post(sent, options);
    logChange(problem);
    if (wait !== undefined) return wait;
    waiting = waiting.slice(sent.length);
    return waiting.length >= batch ? 0 : every;
  };
  const reportUnreachable = () => logChange('it cannot be reached, or gives no answer');
  const loop = startLoop(send, { wall, onError: reportUnreachable });

  const spans = createSpans({
    wall,
    steady,
    ended(span) {
      if (waiting.length >= longestQueue) dropped++;
      else if (waiting.push(span) === batch) loop.wake();
    },
  });
  return {
    ...spans,
    async close() {
      const last = async () => {
        await loop.stop();
        while (waiting.length > 0) {
          await send();
          if (lastProblem !== undefined) return;
        }
      };
      await resolvesWithin(closeTimeout, { work: last().catch(reportUnreachable), clock: wall });
    },
  };
}

/**
 * Sends spans. Rejects if there is no response.
 * @returns `wait` if the same spans are to be sent again after so many wall ms
 */
async function post(
  spans: readonly FinishedSpan[],
  { endpoint, headers, wall, http, ...resource }: OtlpOptions,
): Promise<{ readonly wait?: number; readonly problem?: string }> {
  const answer = await request(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
    method: 'POST',
    headers: { ...headersOf(headers?.reveal() ?? ''), 'content-type': 'application/json' },
    body: JSON.stringify(payload(spans, resource)),
    signal: AbortSignal.timeout(timeout),
    ...(http !== undefined && { dispatcher: http }),
  });
  const text = await answer.body.text();
  const { statusCode: status } = answer;
  if (status < 300) {
    const { rejectedSpans = 0, errorMessage } = partialOf(text) ?? {};
    return rejectedSpans > 0 ? { problem: `it refused ${rejectedSpans} spans: ${errorMessage}` } : {};
  }
  const problem = `it answered ${status}`;
  if (!retriable.includes(status)) return { problem };
  return { problem, wait: parseRetryAfter(answer.headers['retry-after'], wall.now()) ?? every };
}

function partialOf(text: string) {
  try {
    return partial.parse(JSON.parse(text)).partialSuccess;
  } catch {
    return undefined;
  }
}

const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [name = '', ...value] = pair.split('=');
      return name.trim() === ''
        ? []
        : [[name.trim().toLowerCase(), decodeURIComponent(value.join('=').trim())]];
    }),
  );

/**
 * ExportTraceServiceRequest in protobuf's JSON mapping, but with ids in hexadecimal digits; times are nanoseconds as
 * text.
 */
const payload = (
  spans: readonly FinishedSpan[],
  { service, version }: Pick<OtlpOptions, 'service' | 'version'>,
) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesJson({ 'service.name': service, 'service.version': version }) },
      scopeSpans: [{ scope: { name: 'tocsin', version }, spans: spans.map(spanJson) }],
    },
  ],
});

/** Span kinds and status codes of the protocol. */
const kind = { internal: 1, client: 3 } as const;
const failed = 2;

const spanJson = ({ isRequest, began, ended, attributes, problem, ...span }: FinishedSpan) => ({
  ...span,
  kind: isRequest ? kind.client : kind.internal,
  startTimeUnixNano: nanoseconds(began),
  endTimeUnixNano: nanoseconds(ended),
  attributes: attributesJson(attributes),
  status: problem === undefined ? {} : { code: failed, message: scrub(problem) },
});

/** Nanoseconds exceed 2^53, which is why the protocol has them as text. */
const nanoseconds = (ms: number): string =>
  String(BigInt(Math.floor(ms)) * 1_000_000n + BigInt(Math.floor((ms % 1) * 1_000_000)));

const attributesJson = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value },
  }));
