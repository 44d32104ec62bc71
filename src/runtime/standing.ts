/** Of answers about a past, until when they stand: whoever asks moment after moment need not ask again. */
const known = new WeakMap<object, () => number>();

/** @param until market ms, as it is known once the answer is there */
export function standing<Answer extends object>(answer: Answer, until: () => number): Answer {
  known.set(answer, until);
  return answer;
}

/** Market ms, excluded; undefined: it is of its moment alone. */
export const standsUntil = (answer: object): number | undefined => known.get(answer)?.();
