import { signal } from '@preact/signals';
import { notifyOf } from './alert-notices.tsx';
import { firing } from './model.ts';
import { msg } from './words.ts';

const said = signal('');
/** Wall ms between two announcements: a cascade is one sentence. */
const pause = 2_000;
let known: ReadonlySet<string> | undefined;
let waiting = 0;

function announce(): void {
  waiting = 0;
  const now = firing.value;
  const news = now.filter(({ id }) => known?.has(id) === false);
  known = new Set(now.map(({ id }) => id));
  const [first] = news;
  if (first === undefined) return;
  said.value =
    news.length === 1
      ? first.title
      : msg('{n} new alerts, the latest: {title}', { n: news.length, title: first.title });
  notifyOf(said.value, news);
}
firing.subscribe((now) => {
  if (known === undefined && now.length > 0) known = new Set(now.map(({ id }) => id));
  else if (waiting === 0) waiting = window.setTimeout(announce, pause);
});

/** New alerts for whoever listens instead of looking. */
export function Announcer() {
  return (
    <p class="hidden" aria-live="polite">
      {said.value}
    </p>
  );
}
