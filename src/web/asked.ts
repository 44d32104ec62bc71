import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from './api.ts';

/** The last answer to a question that is asked again, and why it could not be asked the last time. */
interface Asked<Answer> {
  readonly answer?: Answer | undefined;
  readonly failure?: string | undefined;
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
  useEffect(() => {
    let isCurrent = true;
    const load = () =>
      void ask().then(
        (found) => {
          if (!isCurrent) return;
          answer.value = found;
          failure.value = undefined;
        },
        (error: unknown) => {
          if (isCurrent) failure.value = messageOf(error);
        },
      );
    load();
    const timer = interval === undefined ? 0 : setInterval(load, interval);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [about]);
  return { answer: answer.value, failure: failure.value };
}
