import { dateLocaleOf, type Language } from '../language/languages.ts';
import { day, hour, minute } from '../runtime/units.ts';

export interface Tick {
  /** Market ms. */
  readonly at: number;
  readonly label: string;
}

/** 1900 to 2200: what lies outside is no market time, and calendars end somewhere. */
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

/** Round times of the reader's zone between two market times (ms), as many as `count` allows. */
export function timeTicks({
  from,
  to,
  count,
  timeZone,
  language,
}: {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly timeZone: string;
  readonly language: Language;
}): Tick[] {
  const step = steps.find(({ size }) => (to - from) / size <= count) ?? steps[steps.length - 1];
  if (step === undefined) return [];
  const begin = Temporal.Instant.fromEpochMilliseconds(Math.floor(from))
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const end = Temporal.Instant.fromEpochMilliseconds(Math.floor(to))
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const ticks =
    step.unit === 'minutes'
      ? clockTimes({ begin, end, step: step.n })
      : step.unit === 'days'
        ? midnights({ begin, end, step: step.n })
        : firsts({ begin, end, step: step.n });
  const short = step.unit === 'months' ? (step.n % 12 === 0 ? year : monthAndYear) : date;
  return ticks.flatMap((local) => {
    const usual = local.toZonedDateTime(timeZone).epochMilliseconds;
    if (usual < from - hour || usual > to + hour) return [];
    const startsDay = local.hour === 0 && local.minute === 0;
    const label = local.toLocaleString(dateLocaleOf(language), startsDay ? short : clock);
    // A day whose midnight is skipped begins with its first moment.
    const times = step.unit === 'minutes' ? instantsOf(local, timeZone) : [usual];
    return times.filter((at) => at >= from && at <= to).map((at) => ({ at, label }));
  });
}

/** When it is so late there: twice in the hour that a change of clocks repeats, never in the one it skips. */
const instantsOf = (local: Temporal.PlainDateTime, timeZone: string): number[] => {
  const times = (['earlier', 'later'] as const)
    .map((disambiguation) => local.toZonedDateTime(timeZone, { disambiguation }))
    .filter((zoned) => zoned.toPlainDateTime().equals(local))
    .map(({ epochMilliseconds }) => epochMilliseconds);
  return [...new Set(times)];
};

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const date = { day: 'numeric', month: 'short' } as const;
const monthAndYear = { month: 'short', year: 'numeric' } as const;
const year = { year: 'numeric' } as const;

/** From a day to another, both included, in steps: of minutes, days or months. */
interface Days {
  readonly begin: Temporal.PlainDate;
  readonly end: Temporal.PlainDate;
  readonly step: number;
}

/** Wall-clock times, so that a day of 23 or 25 hours keeps its round hours. */
function clockTimes({ begin, end, step }: Days): Temporal.PlainDateTime[] {
  return midnights({ begin, end, step: 1 }).flatMap((midnight) =>
    Array.from({ length: 1440 / step }, (_, index) => midnight.add({ minutes: index * step })),
  );
}

// A Monday: weeks begin there, and every second or fourteenth day is the same whatever the chart begins with.
const monday = Temporal.PlainDate.from('1970-01-05');

function midnights({ begin, end, step }: Days): Temporal.PlainDateTime[] {
  const past = (((begin.since(monday).days % step) + step) % step) as number;
  const times: Temporal.PlainDateTime[] = [];
  for (
    let at = begin.subtract({ days: past });
    Temporal.PlainDate.compare(at, end) <= 0;
    at = at.add({ days: step })
  )
    times.push(at.toPlainDateTime());
  return times;
}

function firsts({ begin, end, step }: Days): Temporal.PlainDateTime[] {
  const past = (begin.year * 12 + begin.month - 1) % step;
  const times: Temporal.PlainDateTime[] = [];
  for (
    let at = begin.with({ day: 1 }).subtract({ months: past });
    Temporal.PlainDate.compare(at, end) <= 0;
    at = at.add({ months: step })
  )
    times.push(at.toPlainDateTime());
  return times;
}
