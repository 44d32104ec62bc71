import { memoized } from '../language/memoized.ts';
import { timeFormat } from '../language/time-format.ts';
import { day, hour, minute } from '../runtime/lengths.ts';

export interface Tick {
  /** Market ms. */
  readonly at: number;
  readonly label: string;
}

/** Returns whether a time, ms, is between 1900 and 2200. Any other is no market time, and calendars end somewhere. */
export const isMarketTime = (ms: number): boolean => ms >= -2_208_988_800_000 && ms < 7_258_118_400_000;

const month = 30.437 * day;
const steps = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((n) => ({
    unit: 'minutes',
    n,
    size: n * minute,
  })),
  ...[1, 2, 7, 14].map((n) => ({ unit: 'days', n, size: n * day })),
  ...[1, 2, 3, 6, 12, 24, 60, 120, 300, 600].map((n) => ({ unit: 'months', n, size: n * month })),
] as const;

/**
 * Returns round times of the reader's time zone between two market times (ms), as many as `count` allows.
 * @param dates BCP 47 locale in which the labels are written
 */
export function timeTicks({
  from,
  to,
  count,
  timeZone,
  dates,
}: {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly timeZone: string;
  readonly dates: string;
}): Tick[] {
  const step = steps.find(({ size }) => (to - from) / size <= count) ?? steps[steps.length - 1];
  if (step === undefined) return [];
  const [first, last] = [localOf(from, timeZone), localOf(to, timeZone)];
  const days = { begin: dayOf(first), end: dayOf(last), step: step.n };
  const ticks =
    step.unit === 'minutes' ? clockTimes(days) : step.unit === 'days' ? midnights(days) : monthStarts(days);
  const dateFormat = step.unit === 'months' ? (step.n % 12 === 0 ? 'year' : 'monthAndYear') : 'date';
  return ticks.flatMap((local) => {
    if (local < first - maxClockChange || local > last + maxClockChange) return [];
    const instants = instantsOf(local, timeZone);
    // A day whose midnight is skipped begins with its first moment.
    const firstInstant = instants[0] ?? local - offsetAt(local - day, timeZone);
    if (firstInstant < from - hour || firstInstant > to + hour) return [];
    const format = local % day === 0 ? dateFormat : 'clock';
    const label = timeFormat(dates, { format, timeZone: 'UTC' }).format(local);
    const times = step.unit === 'minutes' ? instants : [firstInstant];
    return times.filter((at) => at >= from && at <= to).map((at) => ({ at, label }));
  });
}

const dayOf = (local: number): number => Math.floor(local / day) * day;
/** Clocks are changed by at most this, ms, so that a time further outside the range needs no look at its zone. */
const maxClockChange = 3 * hour;

const wallClock = memoized(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    }),
);

/**
 * Returns what calendar and clock show in a time zone, as the ms at which they show the same in UTC. It uses Intl,
 * because Temporal is not in every browser that the page is built for.
 */
function localOf(at: number, timeZone: string): number {
  const shown = new Map(
    wallClock(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0;
  const date = Date.UTC(part('year'), part('month') - 1, part('day'));
  return date + part('hour') * hour + part('minute') * minute + part('second') * 1_000;
}

/** Returns how far a zone is ahead of UTC, ms. */
const offsetAt = (at: number, timeZone: string): number =>
  localOf(at, timeZone) - Math.floor(at / 1_000) * 1_000;

/**
 * Returns the times at which clocks in a zone show `local`: two in the hour that a change of clocks repeats, none in
 * the hour that it skips.
 */
const instantsOf = (local: number, timeZone: string): number[] => {
  const offsets = [offsetAt(local - day, timeZone), offsetAt(local + day, timeZone)];
  const times = offsets.map((offset) => local - offset).filter((at) => localOf(at, timeZone) === local);
  return [...new Set(times)].sort((a, b) => a - b);
};

/** A range of days, both ends included and given as their midnights, and the step through it, in minutes, days or months. */
interface Days {
  readonly begin: number;
  readonly end: number;
  readonly step: number;
}

/** Returns times as clocks show them, so that a day of 23 or 25 hours keeps its round hours. */
const clockTimes = ({ begin, end, step }: Days): number[] =>
  midnights({ begin, end, step: 1 }).flatMap((midnight) =>
    Array.from({ length: 1440 / step }, (_, index) => midnight + index * step * minute),
  );

// Steps of days are counted from a Monday, so that a week begins there and every second or fourteenth day is the same
// whatever day the chart begins with.
const monday = Date.UTC(1970, 0, 5);

function midnights({ begin, end, step }: Days): number[] {
  const daysPast = ((((begin - monday) / day) % step) + step) % step;
  const first = begin - daysPast * day;
  const count = Math.floor((end - first) / (step * day)) + 1;
  return Array.from({ length: count }, (_, index) => first + index * step * day);
}

function monthStarts({ begin, end, step }: Days): number[] {
  const [first, last] = [begin, end].map((at) => {
    const date = new Date(at);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  }) as [number, number];
  const count = Math.floor((last - (first - (first % step))) / step) + 1;
  return Array.from({ length: count }, (_, index) => first - (first % step) + index * step).map((month) =>
    Date.UTC(Math.floor(month / 12), month % 12),
  );
}
