import { type Alert, severities, severityRank } from '../alert/alert.ts';
import { plainReader, say } from '../language/say.ts';
import { median } from '../runtime/statistics.ts';
import { formatDuration } from '../runtime/units.ts';
import type { ReplayResult } from './replay.ts';

/** Writes market ms as `2026-01-01 08:00 UTC`. */
const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Writes a revision as one line: time, severity, status and title; a resolved revision has the title of its end. */
export const formatAlert = ({
  updatedAt,
  startsAt,
  endsAt,
  severity,
  status,
  annotations,
  end,
}: Alert): string => {
  const lasted = endsAt === null ? '' : ` (after ${formatDuration(endsAt - startsAt)})`;
  const title = say((end ?? annotations).title, plainReader);
  return `${utc(updatedAt)}  ${severity.padEnd(8)}  ${status.padEnd(8)}  ${title}${lasted}`;
};

/**
 * Summarises the revisions of a replay: a row for each kind, its alerts counted by their worst severity. Ends without a
 * newline.
 */
export function formatSummary(
  alerts: readonly Alert[],
  { notRecorded, unseen }: Pick<ReplayResult, 'notRecorded' | 'unseen'>,
): string {
  const episodes = new Map<string, { readonly last: Alert; readonly worst: number }>();
  for (const alert of alerts) {
    const worst = Math.max(severityRank(alert.severity), episodes.get(alert.id)?.worst ?? 0);
    episodes.set(alert.id, { last: alert, worst });
  }
  const kinds = [...new Set(alerts.map(({ labels }) => labels.kind))].sort();
  const row = (name: string, of: readonly { readonly last: Alert; readonly worst: number }[]) => {
    const durations = of.flatMap(({ last }) => (last.endsAt === null ? [] : [last.endsAt - last.startsAt]));
    return [
      name,
      ...severities.map((_, rank) => of.filter(({ worst }) => worst === rank).length),
      of.length,
      of.length - durations.length,
      durations.length === 0 ? '–' : formatDuration(median(durations)),
    ].map(String);
  };
  const all = [...episodes.values()];
  const rows = [
    ['kind', ...severities, 'alerts', 'open', 'median duration'],
    ...kinds.map((kind) =>
      row(
        kind,
        all.filter(({ last }) => last.labels.kind === kind),
      ),
    ),
    row('all', all),
  ];
  return [
    ...table(rows),
    ...(notRecorded.length === 0 ? [] : [`not recorded: ${notRecorded.join(', ')}`]),
    ...Object.entries(unseen).map(
      ([name, count]) =>
        `${name}: ${count} ${count === 1 ? 'check' : 'checks'} skipped, the recording has a gap`,
    ),
  ].join('\n');
}

/** Formats a table: the first column is aligned to the left, the others to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => width(column));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}
