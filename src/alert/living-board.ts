import type { Receiver } from './subscription.ts';

/**
 * Where a board shows its answer: in a message that is edited, in the topic or the name of its channel, or in a new message each
 * day.
 */
export const boardForms = ['message', 'topic', 'name', 'brief'] as const;

/** A question whose answer a place keeps before its eyes. */
export interface LivingBoard {
  readonly id: string;
  readonly receiver: Receiver;
  /** The question, as it is typed: `funding`. */
  readonly line: string;
  readonly form: (typeof boardForms)[number];
  /** Of a brief: the local time `HH:MM`, and its zone. */
  readonly daily: { readonly at: string; readonly timeZone: string } | null;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** What is known of a board's message. Each step is stored before the next: a process may die between any two. */
export interface BoardPost {
  /** The number of its message: the next one is another. */
  readonly turn: number;
  /** A message of this turn was begun, and it is not known whether it arrived. */
  readonly begun: boolean;
  readonly reference: string | null;
  /** Identifies what the message shows; null: nothing that is known. */
  readonly shown: string | null;
  readonly pinned: boolean;
  /** When a deleted message was last made anew, wall ms. */
  readonly renewedAt: number | null;
  /** Of a brief: when the next is due, market ms. */
  readonly due: number | null;
  /** The place wants it no more: its message is brought to an end. */
  readonly ended: boolean;
}
