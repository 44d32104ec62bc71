/** What is to be told of the sides of a value: at most one end, then at most one beginning. */
export type SideChanges = readonly (readonly ['resolved' | 'firing', side: string])[];

/** From the side people know of to the one they are to know of; null: none. */
export const told = (before: string | null, after: string | null): SideChanges =>
  before === after
    ? []
    : [
        ...(before === null ? [] : [['resolved', before] as const]),
        ...(after === null ? [] : [['firing', after] as const]),
      ];

/** Data times count, each once, in their order, whatever the polls; those already counted change nothing. */
export const countEach = <State extends { readonly seen: number }, One extends { readonly at: number }>(
  past: State | undefined,
  ones: readonly One[],
  count: (known: State | undefined, one: One) => State,
): State | undefined =>
  ones
    .toSorted((a, b) => a.at - b.at)
    .reduce((known, one) => (known !== undefined && one.at <= known.seen ? known : count(known, one)), past);
