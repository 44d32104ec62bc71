import { effect, signal } from '@preact/signals';
import { notifyOf } from './alert-notices.tsx';
import { isSnoozed } from './attention.tsx';
import { firing, haveAlertsArrived } from './held-alerts.ts';
import { msg } from './words.ts';

const announcement = signal('');
/** Wall ms between two announcements, so that a cascade of alerts is announced in one sentence. */
const announceInterval = 2_000;
let knownIds: ReadonlySet<string> | undefined;
let timer = 0;

function announce(): void {
  timer = 0;
  const now = firing.value;
  const news = now.filter((alert) => knownIds?.has(alert.id) === false && !isSnoozed(alert));
  knownIds = new Set(now.map(({ id }) => id));
  const [first] = news;
  if (first === undefined) return;
  announcement.value =
    news.length === 1
      ? first.title
      : msg('{n} new alerts, the latest: {title}', { n: news.length, title: first.title });
  notifyOf(announcement.value, news);
}
effect(() => {
  const now = firing.value;
  if (!haveAlertsArrived.value) return;
  if (knownIds === undefined) knownIds = new Set(now.map(({ id }) => id));
  else if (timer === 0) timer = window.setTimeout(announce, announceInterval);
});

/** Announces new alerts to screen readers. */
export function Announcer() {
  return (
    <p class="hidden" aria-live="polite">
      {announcement.value}
    </p>
  );
}
