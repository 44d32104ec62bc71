/** Until when answers about the past stay the same: a caller that asks at every moment need not ask again before that. */
const known = new WeakMap<object, () => number>();

/**
 * Attaches to an answer until when it stays the same.
 * @param until returns market ms; called only once the answer is complete
 */
export function markValidUntil<Answer extends object>(answer: Answer, until: () => number): Answer {
  known.set(answer, until);
  return answer;
}

/** Returns until when the answer stays the same, market ms, exclusive; undefined if it is valid for its own moment only. */
export const validUntil = (answer: object): number | undefined => known.get(answer)?.();
