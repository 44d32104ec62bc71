import { z } from 'zod';

/** The latest values of what a detector judges by, for its chart: [data time in ms, value], oldest first. JSON. */
export const trail = z.array(z.tuple([z.number(), z.number()]));
export type Trail = z.output<typeof trail>;

/** With one more; of one time the later value. */
export const extended = (past: Trail = [], at: number, value: number, most: number): Trail =>
  [...past.filter(([time]) => time < at), [at, value] as [number, number]].slice(-most);
