import { signal } from '@preact/signals';
import type { PageConnecting } from '../platforms/web/serve-connecting.ts';
import { messageOf } from './api.ts';

export const states = signal<readonly PageConnecting[] | undefined>(undefined);
export const busy = signal(false);
/** What came of the last act, and on which platform. */
export const outcome = signal<
  | {
      readonly of: string;
      readonly done?: 'sample' | 'begun';
      readonly said?: string;
      readonly failure?: string;
    }
  | undefined
>(undefined);
/** The platform whose token is being replaced. */
export const changing = signal<string | undefined>(undefined);

export const replace = (state: PageConnecting): void => {
  states.value = states.value?.map((each) => (each.name === state.name ? state : each));
};

/** Does one thing at a time for a platform, and keeps what came of it. */
export async function act(
  of: string,
  work: () => Promise<Partial<NonNullable<typeof outcome.value>> | undefined>,
) {
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

/** Says why the last act for a platform failed. */
export const Failure = ({ of }: { readonly of: string }) => (
  <p class="failure" role="alert">
    {outcome.value?.of === of && outcome.value.failure !== undefined && withLinks(outcome.value.failure)}
  </p>
);
