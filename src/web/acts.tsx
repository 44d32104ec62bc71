import { signal } from '@preact/signals';
import type { ComponentProps } from 'preact';
import { messageOf } from './api.ts';

export const busy = signal(false);

/** What came of the last act, and what it was about: a platform, a place, a setting or the like. */
interface Outcome {
  readonly of: string;
  /** What was done, in words. */
  readonly said?: string;
  /** It was a sample, after which the alerts themselves can be asked for. */
  readonly isSample?: boolean;
  readonly failure?: string;
}
export const outcome = signal<Outcome | undefined>(undefined);

type Work = () => Promise<Pick<Outcome, 'said' | 'isSample'> | undefined>;

/** Does one thing at a time, and keeps what came of it. */
export async function act(of: string, work: Work): Promise<void> {
  if (busy.value) return;
  busy.value = true;
  outcome.value = undefined;
  try {
    outcome.value = { of, ...(await work()) };
  } catch (error) {
    outcome.value = { of, failure: messageOf(error) };
  } finally {
    busy.value = false;
  }
}

/** A button that does something. Meanwhile it is not `disabled`, because a disabled button loses the focus. */
export const Act = ({
  of,
  work,
  ...given
}: { readonly of: string; readonly work: Work } & ComponentProps<'button'>) => (
  <button type="button" aria-disabled={busy.value} {...given} onClick={() => void act(of, work)} />
);

/** Shows a text whose addresses are links that open in a tab of their own. */
export const withLinks = (text: string) =>
  text.split(/(https?:\/\/[^\s,)]+)/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <a key={at} href={part} target="_blank" rel="noreferrer">
        {part.replace(/^https?:\/\//, '')}
      </a>
    ),
  );

/** Says why the last act of this kind failed. */
export const Failure = ({ of }: { readonly of: string }) => (
  <p class="failure" role="alert">
    {outcome.value?.of === of && outcome.value.failure !== undefined && withLinks(outcome.value.failure)}
  </p>
);

/** Says what came of the last act of this kind. */
export const Result = ({ of }: { readonly of: string }) => (
  <>
    <Failure of={of} />
    <p class="done row" role="status">
      {outcome.value?.of === of && outcome.value.said}
    </p>
  </>
);
