import { signal } from '@preact/signals';
import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
import { AlertFilter, isChosen } from './alert-filter.tsx';
import { AlertList, listed, noAlerts } from './alert-list.tsx';
import { AlertNotices } from './alert-notices.tsx';
import { messageOf, olderAlerts } from './api.ts';
import { SnoozeOutcome } from './attention.tsx';
import { cellTime } from './csv.ts';
import { alerts, oldestEnded } from './held-alerts.ts';
import { Life } from './life.tsx';
import { alertId } from './route.ts';
import { SaveTable } from './save-table.tsx';
import { Scrolls } from './tile.tsx';
import { msg } from './words.ts';

/** Alerts older than those of the stream, loaded on request. */
const older = signal<readonly AlertRow[]>([]);
const isComplete = signal(false);
/** Why the last request for them failed. */
const olderFailure = signal<string | undefined>(undefined);
const pageSize = 50;

async function loadOlder(): Promise<void> {
  const last = older.value.at(-1) ?? oldestEnded() ?? alerts.value.at(-1);
  olderFailure.value = undefined;
  try {
    const rows = await olderAlerts(last, pageSize);
    const known = new Set([...alerts.value, ...older.value].map(({ id }) => id));
    older.value = [...older.value, ...rows.filter(({ id }) => !known.has(id))];
    isComplete.value = rows.length < pageSize;
  } catch (error) {
    olderFailure.value = messageOf(error);
  }
}

const sheetOf = (rows: readonly AlertRow[]) => ({
  columns: [
    msg('Alert'),
    msg('Kind'),
    msg('Market'),
    msg('Severity'),
    msg('State'),
    msg('Began'),
    msg('Ended'),
    msg('Delivery'),
    'ID',
  ],
  rows: rows.map((row) => [
    row.title,
    row.kind,
    row.symbol,
    row.severity,
    row.status,
    cellTime(row.startsAt),
    cellTime(row.endsAt),
    row.delivery,
    row.id,
  ]),
});

/** Shows the list of alerts and the details of the chosen one beside it. */
export function Alerts() {
  const chosen = alertId.value;
  const heldIds = new Set(listed.value.map(({ id }) => id));
  const rows = [...listed.value, ...older.value.filter(({ id }) => !heldIds.has(id))];
  const shown = rows.filter(isChosen);
  return (
    <div class="alerts" data-chosen={chosen === undefined ? undefined : ''}>
      <section class="list">
        <header class="row">
          <h2>{msg('Alerts')}</h2>
          <AlertNotices />
          <SaveTable name={msg('Alerts')} sheet={() => sheetOf(shown)} />
          <AlertFilter rows={rows} />
        </header>
        <Scrolls name={msg('Alerts')}>
          {rows.length === 0 ? (
            noAlerts()
          ) : shown.length === 0 ? (
            <p class="empty">{msg('No alert is like that.')}</p>
          ) : (
            <AlertList rows={shown} most={1_000} attended />
          )}
          {olderFailure.value !== undefined && (
            <p class="empty" role="alert">
              {olderFailure.value}
            </p>
          )}
          {rows.length > 0 && !isComplete.value && (
            <button type="button" class="older" onClick={() => void loadOlder()}>
              {msg('Older alerts')}
            </button>
          )}
        </Scrolls>
        <SnoozeOutcome />
      </section>
      <Scrolls name={msg('The alert from its beginning to its end')}>
        {chosen === undefined ? (
          <p class="empty">{msg('Choose an alert to see what it saw, whom it told, and how it ended.')}</p>
        ) : (
          <Life key={chosen} id={chosen} />
        )}
      </Scrolls>
    </div>
  );
}
