import { labelTitle, share, time, words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Tone } from './alert.ts';

/** What an answer about a regime says of its state. */
interface StatedRegime {
  readonly state: string;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly transition: { readonly to: string } | null;
}

/**
 * Says what is likeliest, if that is not the published state: whoever shows a regime says this first.
 * @param since when the published state began, ms, if that is known
 */
export function likelierState(
  { state, probabilities, transition }: StatedRegime,
  since?: number,
): Text | undefined {
  if (transition === null || transition.to === state) return undefined;
  const values = {
    to: labelTitle(transition.to),
    share: share(probabilities[transition.to]),
    state: words(state),
  };
  return since === undefined
    ? msg('{to} likely, {share}; still labelled {state}', values)
    : msg('{to} likely, {share}; still labelled {state} since {since}', { ...values, since: time(since) });
}

/** The tone of each state, as of what is likeliest. */
export const regimeTones: Readonly<Record<string, Tone>> = {
  RISK_ON: 'good',
  RISK_OFF: 'bad',
  TRANSITION: 'caution',
};
