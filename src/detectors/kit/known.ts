import { maxAhead } from '../../runtime/clock.ts';
import { minute } from '../../runtime/units.ts';

/** Returns whether a data time, market ms, is one that a look at `now` can have. */
export const isKnowable = (at: number, now: number): boolean => at <= now + maxAhead(1);

/** Returns a data time as a look at `now` knows it: one that lies ahead is that of the look. */
export const knownTime = (at: number, now: number): number => (isKnowable(at, now) ? at : now);

/** Returns whether the overview of a data time, ms, still says something about the present. */
export const isFreshOverview = (at: number, now: number): boolean => at <= now && now - at <= 10 * minute;

/** The names of what is a time, market ms, in the states of detectors. */
const timeNames = new Set(['seen', 'since', 'saidAt', 'at', 'last', 'dataTime', 'slot', 'times']);

const checkedAt = new WeakMap<object, number>();

/**
 * Returns a detector's state without times that lie ahead of `now`: they are from a clock or a service that was wrong, and
 * what they say is not known. Each is `now` instead, so that what comes next is new. A state without any is returned as it is.
 */
export function knownBy<State>(state: State, now: number): State {
  if (typeof state !== 'object' || state === null || (checkedAt.get(state) ?? Infinity) <= now) return state;
  const bound = (value: unknown, name: string): unknown => {
    if (typeof value === 'number') return timeNames.has(name) ? knownTime(value, now) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      if (name !== 'times') return value;
      return value.every((each) => bound(each, name) === each)
        ? value
        : value.map((each) => bound(each, name));
    }
    let changed: Record<string, unknown> | undefined;
    for (const key in value) {
      const field = (value as Record<string, unknown>)[key];
      const next = bound(field, key);
      if (next !== field) changed = { ...changed, [key]: next };
    }
    return changed === undefined ? value : { ...value, ...changed };
  };
  const known = bound(state, '') as State & object;
  checkedAt.set(known, now);
  return known;
}
