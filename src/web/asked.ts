import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from './api.ts';

/** The last answer to a question that is asked again, and why it could not be asked the last time. */
interface Asked<Answer> {
  readonly answer?: Answer | undefined;
  readonly failure?: string | undefined;
}

interface Asking<Answer> {
  /** Ms between two requests; undefined: only one is made. */
  readonly interval: number | undefined;
  readonly onAnswer: (answer: Answer) => void;
  readonly onFailure: (why: string) => void;
}

/** Asks at once and every `interval` ms, one question at a time. Returns a function that stops it, after which no answer is told any more. */
export function keepAsking<Answer>(
  ask: () => Promise<Answer>,
  { interval, onAnswer, onFailure }: Asking<Answer>,
): () => void {
  let isCurrent = true;
  let isUnderWay = false;
  const load = async () => {
    // A bot that is slow has not another question of each page every few seconds.
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      const found = await ask();
      if (isCurrent) onAnswer(found);
    } catch (error) {
      if (isCurrent) onFailure(messageOf(error));
    } finally {
      isUnderWay = false;
    }
  };
  void load();
  const timer = interval === undefined ? 0 : setInterval(() => void load(), interval);
  return () => {
    isCurrent = false;
    clearInterval(timer);
  };
}

/**
 * Asks for as long as a component is shown: at once, each time when `about` changes, and every `interval` ms.
 * @param last keeps the answer for when the component is shown again
 */
export function useAsked<Answer>(
  ask: () => Promise<Answer>,
  {
    about,
    interval,
    last,
  }: {
    readonly about?: string;
    readonly interval?: number;
    readonly last?: Signal<Answer | undefined>;
  },
): Asked<Answer> {
  const own = useSignal<Answer | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const answer = last ?? own;
  const asking: Asking<Answer> = {
    interval,
    onAnswer(found) {
      answer.value = found;
      failure.value = undefined;
    },
    onFailure(why) {
      failure.value = why;
    },
  };
  useEffect(() => keepAsking(ask, asking), [about]);
  return { answer: answer.value, failure: failure.value };
}
