import type { Endpoint } from '../contract/index.ts';
import { hour } from '../runtime/units.ts';

/** Says of what is refused why. It is the machine's clock that is wrong if every service is refused. */
export const aheadOfClock = 'its time lies ahead of this machine’s clock';

/** The times that a service may announce: a delisting, say, is known before it takes effect. */
const announced = new Set(['effective']);

/** Read field by field: lists of the entries of each row would be most of what a large answer costs. */
type Fields = Readonly<Record<string, unknown>>;

const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the time that a field of a parsed response says, ms; undefined if it says none, or may lie in the future. */
const saidTime = (name: string, field: unknown): number | undefined =>
  typeof field === 'string' && form.test(field) && !announced.has(name) ? Date.parse(field) : undefined;

/** Returns the newest data time anywhere in a response, ms; undefined if the response contains none. */
export function dataTime(answer: unknown): number | undefined {
  let newest: number | undefined;
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const each of value) see('', each);
    else for (const name in value) see(name, (value as Fields)[name]);
  };
  const see = (name: string, field: unknown): void => {
    const time = saidTime(name, field);
    if (time === undefined) visit(field);
    else newest = Math.max(newest ?? Number.NEGATIVE_INFINITY, time);
  };
  visit(answer);
  return newest;
}

/** Leaves out of a parsed response the hour that is not over at `latest`, ms: its volume and its close still change. */
export function leaveOutRunning(
  answer: unknown,
  { hours }: Pick<Endpoint, 'hours'>,
  latest: number,
): unknown {
  const isOver = ({ open_time, timestamp }: Fields) =>
    Date.parse(String(open_time ?? timestamp)) + hour <= latest;
  const fields = answer as Fields;
  return hours === undefined ? answer : { ...fields, [hours]: (fields[hours] as Fields[]).filter(isOver) };
}

/** A response without what lies ahead of its time. `refused`: how many rows and parts were left out. */
export interface Bounded {
  /** Undefined if the response itself lies ahead. */
  readonly answer: unknown;
  readonly refused: number;
}

/**
 * Leaves out of a parsed response each row, and each part, with a time later than `latest`, ms. A response without any is
 * returned as it is.
 */
export function leaveOutAhead(answer: unknown, latest: number): Bounded {
  let refused = 0;
  const bound = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return boundRows(value);
    const fields = value as Fields;
    for (const name in fields)
      if ((saidTime(name, fields[name]) ?? latest) > latest) {
        refused += 1;
        return undefined;
      }
    let copy: Record<string, unknown> | undefined;
    for (const name in fields) {
      const field = bound(fields[name]);
      if (field === fields[name]) continue;
      copy ??= { ...fields };
      if (field === undefined) delete copy[name];
      else copy[name] = field;
    }
    return copy ?? value;
  };
  const boundRows = (rows: readonly unknown[]): readonly unknown[] => {
    let copy: unknown[] | undefined;
    rows.forEach((row, index) => {
      const kept = bound(row);
      if (kept !== row) copy ??= rows.slice(0, index);
      if (kept !== undefined) copy?.push(kept);
    });
    return copy ?? rows;
  };
  return { answer: bound(answer), refused };
}
