import { z } from 'zod';

/** The latest values of what a detector judges by, for its chart: [data time in ms, value], oldest first. JSON. */
export const trail = z.array(z.tuple([z.number(), z.number()]));
export type Trail = z.output<typeof trail>;

/** How finely a trail is kept, ms, and how many of its values. */
export interface Spacing {
  readonly every: number;
  readonly most: number;
  /** How far back it goes, ms. Left out: as far as so many values do. */
  readonly reach?: number;
}

const lately = (
  past: Trail,
  { at, every, most, reach = every * most }: { readonly at: number } & Spacing,
): Trail => past.filter(([time]) => time > at - reach && time < Math.floor(at / every) * every);

/** With one more, of each `every` ms the latest alone, at its beginning: what is looked at often is kept small. */
export const sparsely = (
  past: Trail = [],
  { at, value, spacing }: { readonly at: number; readonly value: number; readonly spacing: Spacing },
): Trail =>
  [
    ...lately(past, { ...spacing, at }),
    [Math.floor(at / spacing.every) * spacing.every, value] as [number, number],
  ].slice(-spacing.most);

/** A trail up to its newest value, at that one's own time. */
export const upTo = (
  past: Trail = [],
  { at, value, spacing }: { readonly at: number; readonly value: number; readonly spacing: Spacing },
): Trail => [...lately(past, { ...spacing, at }), [at, value]];
