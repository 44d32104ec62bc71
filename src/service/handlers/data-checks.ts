import { median } from '../../runtime/statistics.ts';
import { hour, iso, minute } from '../../runtime/units.ts';
import { round } from '../analytics/statistics.ts';
import type { DataCheck } from '../archive/archive.ts';
import { type Handler, lastWindow } from './handler.ts';

/** Decimal places of percentages. */
const decimals = 6;

export const dataChecks: Handler<'dataChecks'> = {
  needs: ['audits'],
  uses: ['state'],
  async answer({ hours, limit }, { archive, now, state }) {
    const rows = await archive.audits(lastWindow(hours * hour, now));
    const beyond = rows.filter(({ verdict }) => verdict === 'BEYOND' || verdict === 'LATE');
    const newest = rows.toReversed();
    return {
      source: state.source,
      values: valuesOf(rows),
      worst: beyond
        .toSorted((a, b) => excess(b) - excess(a))
        .slice(0, limit)
        .map(answerRow),
      misses: missesOf(newest),
      data: newest.slice(0, limit).map(answerRow),
      count: rows.length,
      window: `${hours}h`,
    };
  },
};

const excess = ({ difference, allowed }: DataCheck): number => Math.abs(difference ?? 0) - (allowed ?? 0);

const grouped = (rows: readonly DataCheck[], of: (row: DataCheck) => readonly unknown[]) => [
  ...Map.groupBy(rows, (row) => of(row).join('\u0000')).values(),
];

function valuesOf(rows: readonly DataCheck[]) {
  return grouped(rows, ({ value, venue, role }) => [value, venue, role]).map((group) => {
    const { value, venue, role } = group[0] as DataCheck;
    const answered = group.filter(({ verdict }) => verdict !== 'MISSED');
    const judged = answered.filter(({ verdict }) => verdict !== 'SHOWN').length;
    const within = answered.filter(({ verdict }) => verdict === 'WITHIN').length;
    const missed = group.filter(
      ({ verdict, reason }) => verdict === 'MISSED' && reason !== 'CANNOT_BE_ASKED',
    );
    const sizes = answered.map(({ difference }) => Math.abs(difference ?? 0));
    return {
      value,
      venue,
      role,
      checks: answered.length,
      ...(sizes.length > 0 && { medianPct: round(100 * median(sizes), decimals) }),
      ...(judged > 0 && { within, share: round(within / judged, 4) }),
      missed: missed.length,
    };
  });
}

/** @param newest rows, newest first */
function missesOf(newest: readonly DataCheck[]) {
  const missed = newest.filter(({ verdict }) => verdict === 'MISSED');
  return grouped(missed, ({ value, venue, reason }) => [value, venue, reason]).map((group) => {
    const { value, venue, reason, time, detail } = group[0] as DataCheck;
    return {
      value,
      venue,
      reason: reason ?? 'UNREACHABLE',
      count: group.length,
      timestamp: iso(time),
      detail: detail ?? '',
    };
  });
}

function answerRow({ time, symbol, value, venue, role, verdict, reason, detail, ...rest }: DataCheck) {
  const { published, publishedAt, asked, askedAt, difference, allowed } = rest;
  const compared =
    published === null || publishedAt === null || asked === null || askedAt === null
      ? {}
      : {
          published,
          publishedAt: iso(publishedAt),
          asked,
          askedAt: iso(askedAt),
          differencePct: round(100 * (difference ?? 0), decimals),
          ...(allowed !== null && { allowedPct: round(100 * allowed, decimals) }),
          ageMinutes: round(Math.max(0, time - publishedAt) / minute, 1),
        };
  return {
    timestamp: iso(time),
    symbol,
    value,
    venue,
    role,
    verdict,
    ...compared,
    ...(reason !== null && { reason }),
    ...(detail !== null && { detail }),
  };
}
