import { msOf } from '../runtime/units.ts';

const names = new Set(['timestamp', 'event_time', 'open_time', 'marketTime']);

/** Returns the newest data time anywhere in a response, ms; undefined if the response contains none. */
export function dataTime(answer: unknown): number | undefined {
  let newest: number | undefined;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const name of Object.keys(value)) {
        const field = (value as Record<string, unknown>)[name];
        if (typeof field !== 'string') visit(field);
        else if (names.has(name)) newest = Math.max(newest ?? Number.NEGATIVE_INFINITY, msOf(field));
      }
    }
  };
  visit(answer);
  return newest;
}
