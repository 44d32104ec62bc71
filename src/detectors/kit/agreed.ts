import { z } from 'zod';

/** Returns the schema of a value that several looks in a row must agree on, and the change that they have begun to see. */
export const agreedSchema = <Value extends z.ZodType>(value: Value) =>
  z.object({ value, pending: z.object({ like: z.string(), count: z.int() }).nullable() });
export type Agreed<Value> = z.output<ReturnType<typeof agreedSchema<z.ZodType<Value>>>>;

/** What one more look sees. Looks agree if `keyOf` returns the same for them. Left out: if they see the same value. */
interface Look<Value> {
  readonly seen: Value;
  readonly confirm: number;
  readonly keyOf?: ((before: Value) => string) | undefined;
}

/** Returns the value after one more look: another one, once `confirm` looks in a row that see another agree. */
export function nextAgreed<Value extends string | number>(
  past: Agreed<Value> | undefined,
  { seen, confirm, keyOf = () => String(seen) }: Look<Value>,
): Agreed<Value> {
  if (past === undefined || seen === past.value) return { value: seen, pending: null };
  const key = keyOf(past.value);
  const count = past.pending?.like === key ? past.pending.count + 1 : 1;
  return count < confirm ? { ...past, pending: { like: key, count } } : { value: seen, pending: null };
}
