/** One revision of an alert. Each revision has its own trace, from its detector to every message about it. */
export interface Revision {
  readonly alertId: string;
  readonly revision: number;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

interface SpanStart {
  readonly name: string;
  readonly attributes?: Attributes;
  /** True if the work sends a request to another process, which may continue the trace. */
  readonly isRequest?: boolean;
  /**
   * The revisions to whose traces the span belongs; each of these traces gets the span. If left out or empty, the span
   * belongs to the span that it was started in.
   */
  readonly revisions?: readonly Revision[];
}

/** A span that is under way. */
export interface Traced {
  set(attributes: Attributes): void;
  /** Begins the traces of these revisions, which other processes may continue. */
  announce(revisions: readonly Revision[]): void;
}

/** Records how long each piece of work takes, and within which other work it runs. */
export interface Tracer {
  /** Runs the work as a span. If the work throws, the span is recorded as failed and the error is thrown on. */
  span<Result>(start: SpanStart, work: (span: Traced) => Promise<Result>): Promise<Result>;
  /** Returns the `traceparent` header (W3C Trace Context) of the span under way, or undefined if there is none. */
  traceparent(): string | undefined;
}

const unrecorded: Traced = { set: () => {}, announce: () => {} };

/** A tracer that records nothing, for use where no traces are collected. */
export const untraced: Tracer = {
  span: (_start, work) => work(unrecorded),
  traceparent: () => undefined,
};
