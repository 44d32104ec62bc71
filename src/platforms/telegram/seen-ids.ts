/**
 * The ids of the updates that were seen: all below `next` except those in `gaps`. A webhook gets updates out of order: while
 * the update of one chat is tried again, those of other chats are delivered (telegram-bot-api, WebhookActor::send_update).
 */
export interface SeenIds {
  readonly next: number;
  /** Ranges of ids, oldest first; `to` is not part of its range. */
  readonly gaps: readonly (readonly [from: number, to: number])[];
}

export const noneSeen: SeenIds = { next: 0, gaps: [] };

/** How many ids later than its turn an update may come. It limits what is remembered. */
const maxGap = 500;

export const isSeen = ({ next, gaps }: SeenIds, id: number): boolean =>
  id < next && !gaps.some(([from, to]) => from <= id && id < to);

export function addSeen({ next, gaps }: SeenIds, id: number): SeenIds {
  if (id >= next) {
    const oldest = id - maxGap;
    const all = [...gaps, [next, id] as const].map(([from, to]) => [Math.max(from, oldest), to] as const);
    return { next: id + 1, gaps: all.filter(isRange) };
  }
  const split = gaps.flatMap(([from, to]) =>
    from <= id && id < to
      ? ([
          [from, id],
          [id + 1, to],
        ] as const)
      : [[from, to] as const],
  );
  return { next, gaps: split.filter(isRange) };
}

const isRange = ([from, to]: readonly [number, number]): boolean => from < to;
