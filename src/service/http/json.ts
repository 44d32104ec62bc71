import { plainDecimal } from '../handlers/decimal.ts';

declare global {
  interface JSON {
    /** ES2025: text that `JSON.stringify` writes as it is. */
    rawJSON(text: string): unknown;
  }
}

/** Writes JSON with plain decimals. `JSON.stringify` writes 0.00000001 as `1e-8`, which clients of decimals refuse. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  // A number with an exponent has a digit followed by e; a match inside a string merely costs a second pass.
  return /\de[+-]?\d/.test(text) ? JSON.stringify(value, plain) : text;
}

const plain = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && /e/.test(String(value)) ? JSON.rawJSON(plainDecimal(value)) : value;
