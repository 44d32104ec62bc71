import { z } from 'zod';

/** The latest values of what a detector judges by, for its chart: [data time in ms, value], oldest first. JSON. */
export const trail = z.array(z.tuple([z.number(), z.number()]));
export type Trail = z.output<typeof trail>;

/** With one more; of one time the later value. */
export const extended = (past: Trail = [], at: number, value: number, most: number): Trail =>
  [...past.filter(([time]) => time < at), [at, value] as [number, number]].slice(-most);

/** How finely a trail is kept, ms, and how many of its values, which is also how far back it goes. */
export interface Spacing {
  readonly every: number;
  readonly most: number;
}

/** With one more, of each `every` ms the latest alone, at its beginning: what is looked at often is kept small. */
export const sparsely = (past: Trail = [], at: number, value: number, { every, most }: Spacing): Trail =>
  extended(
    past.filter(([time]) => time > at - every * most),
    Math.floor(at / every) * every,
    value,
    most,
  );

/** A trail up to its newest value, at that one's own time. */
export const upTo = (past: Trail = [], at: number, value: number, { every, most }: Spacing): Trail => [
  ...past.filter(([time]) => time > at - every * most && time < Math.floor(at / every) * every),
  [at, value],
];
