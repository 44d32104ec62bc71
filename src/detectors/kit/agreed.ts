import { z } from 'zod';

/** What looks in a row have agreed on, and what they have begun to say instead: JSON. */
export const agreedOf = <Value extends z.ZodType>(value: Value) =>
  z.object({ value, pending: z.object({ like: z.string(), count: z.int() }).nullable() });
export type Agreed<Value> = z.output<ReturnType<typeof agreedOf<z.ZodType<Value>>>>;

/** What one more look sees. */
interface Look<Value> {
  readonly seen: Value;
  readonly confirm: number;
  /** Looks of which this is the same agree. Left out: those that see the same. */
  readonly like?: ((before: Value) => string) | undefined;
}

/** A value changes once `confirm` looks in a row say something else; the last of them says what. */
export function agreed<Value extends string | number>(
  past: Agreed<Value> | undefined,
  { seen, confirm, like = () => String(seen) }: Look<Value>,
): Agreed<Value> {
  if (past === undefined || seen === past.value) return { value: seen, pending: null };
  const now = like(past.value);
  const count = past.pending?.like === now ? past.pending.count + 1 : 1;
  return count < confirm ? { ...past, pending: { like: now, count } } : { value: seen, pending: null };
}
