import type { Words } from '../platforms/web/page.ts';
import { day, hour, minute, second } from '../runtime/lengths.ts';

/** Writes milliseconds in their largest unit, as a language writes it. */
export function ageIn(units: Words['units'], ms: number): string {
  const inUnit = (unit: keyof typeof units, of: number) =>
    units[unit].replace('#', String(Math.round(Math.max(0, ms) / of)));
  if (ms < minute) return inUnit('s', second);
  if (ms < hour) return inUnit('min', minute);
  return ms < 2 * day ? inUnit('h', hour) : inUnit('d', day);
}
