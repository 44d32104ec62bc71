import { z } from 'zod';
import { countEach, type SideChanges, told } from './told.ts';

/** What a value is at one data time. */
export interface Sighting {
  /** Data time, market ms. */
  readonly at: number;
  /** Which side it stands out on, beyond the level at which that ends; null: on none. */
  readonly side: string | null;
  /** It is also beyond the level at which that begins. */
  readonly strong: boolean;
}

export interface FollowRules {
  /** Strong sightings in a row before it begins. */
  readonly confirm: number;
  /** Sightings in a row off its side before it ends. */
  readonly calm: number;
  /** After its end the same side does not begin again for this long, ms. */
  readonly cooldown: number;
}

/** One value followed: plain JSON. */
export const followed = z.object({
  /** Data time of the last sighting counted. */
  seen: z.number(),
  /** The side it stands out on; `quiet` where it did so at the baseline, so that nobody was told. */
  open: z.object({ side: z.string(), quiet: z.boolean(), off: z.int() }).nullable(),
  pending: z.object({ side: z.string(), count: z.int() }).nullable(),
  ended: z.object({ side: z.string(), at: z.number() }).nullable(),
});
export type Followed = z.output<typeof followed>;

/**
 * Follows a value that stands out on one side or another, with hysteresis (`side` and `strong` are two levels),
 * confirmation and cooldown. The first sightings are a silent baseline. What began and ended between two calls is
 * not told.
 */
export function follow(
  past: Followed | undefined,
  sightings: readonly Sighting[],
  rules: FollowRules,
): { readonly next: Followed | undefined; readonly told: SideChanges } {
  const next = countEach(past, sightings, (known, sighting) => count(known, sighting, rules));
  if (past === undefined) {
    // What is strong and not yet confirmed was there as well, and is no news when it is confirmed.
    const side = next?.open?.side ?? next?.pending?.side;
    const open = side === undefined ? null : { side, quiet: true, off: next?.open?.off ?? 0 };
    return { next: next && { ...next, open, pending: null }, told: [] };
  }
  return { next, told: told(loud(past), next === undefined ? null : loud(next)) };
}

const loud = ({ open }: Followed): string | null => (open === null || open.quiet ? null : open.side);

const nothing: Omit<Followed, 'seen'> = { open: null, pending: null, ended: null };

function count(past: Followed | undefined, { at, side, strong }: Sighting, rules: FollowRules): Followed {
  let { open, pending, ended } = past ?? nothing;
  pending =
    side !== null && strong && side !== open?.side
      ? { side, count: pending?.side === side ? pending.count + 1 : 1 }
      : null;
  if (open !== null) {
    const off = side === open.side ? 0 : open.off + 1;
    if (off >= rules.calm) {
      ended = { side: open.side, at };
      open = null;
    } else open = { ...open, off };
  }
  const cooling = pending !== null && ended?.side === pending.side && at - ended.at < rules.cooldown;
  if (open === null && pending !== null && pending.count >= rules.confirm && !cooling) {
    open = { side: pending.side, quiet: false, off: 0 };
    pending = null;
  }
  return { seen: at, open, pending, ended };
}

/** What is open is kept, and the rest while it was seen within `keep` ms: after that it is met as if for the first time. */
export const remembered = <One extends { readonly seen: number; readonly open: unknown }>(
  all: Readonly<Record<string, One>>,
  now: number,
  keep: number,
): Record<string, One> =>
  Object.fromEntries(Object.entries(all).filter(([, { seen, open }]) => open !== null || now - seen < keep));

/** Names of what is open. */
export const opened = (all: Readonly<Record<string, { readonly open: unknown }>> = {}): string[] =>
  Object.entries(all).flatMap(([name, { open }]) => (open === null ? [] : [name]));
