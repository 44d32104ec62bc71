import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Attributes, Revision, Traced, Tracer } from './tracer.ts';

/** The position of a span: ids of its trace and of itself, 16 and 8 bytes in hexadecimal digits. */
interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

export interface FinishedSpan extends SpanContext {
  readonly parentSpanId?: string;
  readonly name: string;
  readonly isRequest: boolean;
  /** Wall ms, with fractions. */
  readonly began: number;
  readonly ended: number;
  readonly attributes: Attributes;
  readonly links: readonly SpanContext[];
  /** The error message if the work failed, else undefined. */
  readonly problem?: string;
}

/**
 * Returns the trace of a revision, and the id of its first span. Both are derived from the revision alone, so that
 * every process that expands or delivers the revision continues the same trace, also after a restart, without any
 * stored state.
 */
export function traceOf({ alertId, revision }: Revision): SpanContext {
  const hash = createHash('sha256').update(`${alertId}@${revision}`).digest('hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}

const attributesOf = ({ alertId, revision }: Revision): Attributes => ({
  'tocsin.alert.id': alertId,
  'tocsin.alert.revision': revision,
});

const digits = (bytes: number): string => randomBytes(bytes).toString('hex');

interface SpansOptions {
  readonly wall: Clock;
  /** Measures how long a span lasts. */
  readonly steady: Clock;
  /** Called with each span when it ends. Must not throw. */
  readonly ended: (span: FinishedSpan) => void;
}

/** Creates a tracer whose spans find their parent span through the asynchronous call chain (AsyncLocalStorage). */
export function createSpans({ wall, steady, ended }: SpansOptions): Tracer {
  const currentSpan = new AsyncLocalStorage<SpanContext>();
  return {
    async span({ name, attributes = {}, isRequest = false, revisions = [] }, work) {
      const own = positionsOf(revisions, currentSpan.getStore());
      const [first] = own;
      const known: Record<string, string | number | boolean> = { ...attributes };
      const announced: Revision[] = [];
      const span: Traced = {
        set: (more) => void Object.assign(known, more),
        announce: (revisions) => void announced.push(...revisions),
      };
      const began = { wall: wall.now(), steady: steady.now() };
      let problem: string | undefined;
      try {
        return await currentSpan.run(first, () => work(span));
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        throw error;
      } finally {
        const time = { began: began.wall, ended: began.wall + steady.now() - began.steady };
        const failed = problem !== undefined && { problem };
        for (const { revision, ...place } of own) {
          const attributes = { ...known, ...(revision !== undefined && attributesOf(revision)) };
          ended({ ...place, ...time, ...failed, name, isRequest, attributes, links: announced.map(traceOf) });
        }
        for (const revision of announced) {
          const { traceId, spanId } = first;
          const links = [{ traceId, spanId }];
          const attributes = attributesOf(revision);
          ended({ ...traceOf(revision), ...time, name: 'alert', isRequest: false, attributes, links });
        }
      }
    },
    traceparent() {
      const context = currentSpan.getStore();
      return context && `00-${context.traceId}-${context.spanId}-01`;
    },
  };
}

interface SpanPosition extends SpanContext {
  readonly parentSpanId?: string;
  readonly revision?: Revision;
}

/**
 * Returns where a span belongs: below the first span of each revision's trace if there are revisions, else below the
 * span under way, else at the start of a new trace.
 */
function positionsOf(
  of: readonly Revision[],
  within: SpanContext | undefined,
): [SpanPosition, ...SpanPosition[]] {
  const [first, ...others] = of;
  const under = (revision: Revision): SpanPosition => {
    const { traceId, spanId: parentSpanId } = traceOf(revision);
    return { traceId, parentSpanId, revision, spanId: digits(8) };
  };
  if (first !== undefined) return [under(first), ...others.map(under)];
  if (within === undefined) return [{ traceId: digits(16), spanId: digits(8) }];
  return [{ traceId: within.traceId, parentSpanId: within.spanId, spanId: digits(8) }];
}
