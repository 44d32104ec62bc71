import { signal } from '@preact/signals';
import type { AlertRow } from '../platforms/alert-feed.ts';
import { AlertList, noAlerts } from './alert-list.tsx';
import { AlertNotices } from './alert-notices.tsx';
import { olderAlerts } from './api.ts';
import { alerts, oldestEnded } from './held-alerts.ts';
import { Life } from './life.tsx';
import { alertId } from './route.ts';
import { Scrolls } from './tile.tsx';
import { msg } from './words.ts';

/** Alerts older than those of the stream, loaded on request. */
const older = signal<readonly AlertRow[]>([]);
const isComplete = signal(false);
const pageSize = 50;

async function loadOlder(): Promise<void> {
  const last = older.value.at(-1) ?? oldestEnded() ?? alerts.value.at(-1);
  const rows = await olderAlerts(last, pageSize).catch(() => []);
  const known = new Set([...alerts.value, ...older.value].map(({ id }) => id));
  older.value = [...older.value, ...rows.filter(({ id }) => !known.has(id))];
  isComplete.value = rows.length < pageSize;
}

const onlyFiring = signal(false);

/** Shows the list of alerts and the details of the chosen one beside it. */
export function Alerts() {
  const chosen = alertId.value;
  const heldIds = new Set(alerts.value.map(({ id }) => id));
  const rows = [...alerts.value, ...older.value.filter(({ id }) => !heldIds.has(id))];
  const shown = onlyFiring.value ? rows.filter(({ endsAt }) => endsAt === null) : rows;
  return (
    <div class="alerts" data-chosen={chosen === undefined ? undefined : ''}>
      <section class="list">
        <header>
          <h2>{msg('Alerts')}</h2>
          <label>
            <input
              type="checkbox"
              checked={onlyFiring.value}
              onChange={({ currentTarget }) => (onlyFiring.value = currentTarget.checked)}
            />
            {msg('only those firing')}
          </label>
          <AlertNotices />
        </header>
        <Scrolls name={msg('Alerts')}>
          {shown.length === 0 ? noAlerts() : <AlertList rows={shown} most={1_000} />}
          {shown.length > 0 && !isComplete.value && !onlyFiring.value && (
            <button type="button" class="older" onClick={() => void loadOlder()}>
              {msg('Older alerts')}
            </button>
          )}
        </Scrolls>
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
