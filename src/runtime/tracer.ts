/** What of an alert is told: each revision has a trace of its own, from its detector to every message of it. */
export interface Revision {
  readonly alertId: string;
  readonly revision: number;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  readonly attributes?: Attributes;
  /** It asks another process, which may go on with the trace. */
  readonly asks?: boolean;
  /** It belongs to their traces, each of which has it; left out or none: to what it was begun in. */
  readonly of?: readonly Revision[];
}

/** Work under way. */
export interface Traced {
  set(attributes: Attributes): void;
  /** Their traces begin here, whichever process goes on with them. */
  announce(revisions: readonly Revision[]): void;
}

/** What takes how long, and within what. */
export interface Tracer {
  /** Does the work as a span; one that throws is told as failed. */
  span<Result>(start: SpanStart, work: (span: Traced) => Promise<Result>): Promise<Result>;
  /** Of the span under way, as W3C Trace Context writes it in a header; undefined: there is none. */
  traceparent(): string | undefined;
}

const untold: Traced = { set: () => {}, announce: () => {} };

/** Where nobody collects traces. */
export const untraced: Tracer = {
  span: (_start, work) => work(untold),
  traceparent: () => undefined,
};
