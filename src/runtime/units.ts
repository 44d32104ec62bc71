import { z } from 'zod';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

const unit: Record<string, number> = { ms: 1, s: second, m: minute, h: hour, d: day, w: 7 * day };

/** `"90s"`, `"15m"`, `"4h"`, `"1h30m"`, `"7d"` → milliseconds; undefined if it is none. */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim().toLowerCase().replaceAll(' ', '');
  if (!/^(\d+(\.\d+)?(ms|[smhdw]))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, name] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)) {
    total += Number(amount) * (unit[name ?? ''] ?? Number.NaN);
  }
  return total;
}

/** Milliseconds → the two largest units, `"1 d 4 h"`; below a second `"0 s"`. */
export function formatDuration(ms: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, Math.round(ms / second)) * second;
  for (const [name, size] of [
    ['d', day],
    ['h', hour],
    ['min', minute],
    ['s', second],
  ] as const) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

/** Schema of a duration as written in the configuration and by people; gives milliseconds. */
export const duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: 'a duration such as "90s", "15m", "4h" or "7d" is expected' });
  return z.NEVER;
});

/** Milliseconds → ISO 8601 UTC with milliseconds, the form the contract uses. */
export const iso = (ms: number): string => new Date(ms).toISOString();
