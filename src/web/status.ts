import type { BotStatus } from '../shell/command.ts';
import { status } from './api.ts';
import { html } from './dom.ts';
import type { ConnectionState } from './events.ts';
import { age, marketTime } from './time.ts';
import { label, msg } from './words.ts';

const every = 2_000;

const connectionWord: Record<ConnectionState, string> = {
  open: msg('Connected'),
  connecting: msg('Connecting…'),
  lost: msg('Reconnecting…'),
};

// biome-ignore lint/complexity/useMaxParams: its children come one after the other, as they stand on the page
const item = (kind: string, title: string, ...children: readonly (Node | string)[]) =>
  html('span', { class: `item ${kind}`, title }, ...children);

/** Where the data comes from, in plain sight: "simulated, 240 ×". */
function source({ source, speed }: BotStatus): string {
  return speed === 1 ? label(source) : msg('{source}, {speed} ×', { source: label(source), speed });
}

/** While the data service is away no time is made up: the clock stands where it was last heard. */
function clock({ away, marketTime: now }: BotStatus): HTMLElement[] {
  const hint = msg('Market time, in your time zone');
  if (away === undefined) return [item('market', hint, marketTime(now))];
  const { since } = away;
  return [
    item('bad', msg('Shown values may be old: see their age'), msg('Data service not answering')),
    ...(since === undefined
      ? []
      : [item('market old', hint, `${marketTime(since)} · ${msg('{age} ago', { age: age(now - since) })}`)]),
  ];
}

function feeds({ feeds }: BotStatus): HTMLElement {
  const stale = feeds.filter(({ fresh }) => !fresh);
  const word =
    stale.length === 0
      ? msg('{all, plural, one {# feed fresh} other {# feeds fresh}}', { all: feeds.length })
      : msg('{stale} of {all, plural, one {# feed} other {# feeds}} stale', {
          stale: stale.length,
          all: feeds.length,
        });
  const rows = feeds.map(({ name, age: since, fresh, problem }) =>
    html(
      'li',
      { class: fresh ? 'fresh' : 'stale' },
      html('span', {}, label(name)),
      html('span', {}, since === undefined ? msg('no data yet') : msg('{age} ago', { age: age(since) })),
      ...(problem === undefined ? [] : [html('small', {}, problem.message)]),
    ),
  );
  const summary = html('summary', { class: stale.length === 0 ? 'item' : 'item bad' }, word);
  return html('details', { class: 'feeds' }, summary, html('ul', {}, ...rows));
}

function budget({ budget: { used, limit, window } }: BotStatus): HTMLElement {
  const meter = html('meter', {
    min: 0,
    max: limit,
    high: limit * 0.8,
    value: used,
    'aria-label': msg('Requests used'),
  });
  return item(
    '',
    msg('Requests to the data service in the last {window}', { window: age(window) }),
    meter,
    msg('{used}/{limit} requests', { used, limit }),
  );
}

function outbox({ outbox: { waiting, oldest }, marketTime: now }: BotStatus): HTMLElement {
  return item(
    waiting > 100 ? 'bad' : '',
    msg('Notifications accepted and not yet sent'),
    oldest === null
      ? msg('outbox {waiting}', { waiting })
      : msg('outbox {waiting}, oldest {age}', { waiting, age: age(now - oldest) }),
  );
}

/** The status strip, asked for anew every two seconds while the page is seen. */
export function createStatus(strip: HTMLElement): { connection(state: ConnectionState): void } {
  const line = html('span', { class: 'item connection', role: 'status' });
  const rest = html('div', { class: 'items' });
  const gone = html('span', { class: 'item gone' });
  strip.replaceChildren(line, gone, rest);
  const connection = (state: ConnectionState) => {
    if (line.dataset.state === state) return;
    line.dataset.state = state;
    line.textContent = connectionWord[state];
  };

  let seen = Date.now();
  const refresh = async () => {
    try {
      const now = await status();
      seen = Date.now();
      const open = rest.querySelector('details')?.open ?? false;
      const ages = feeds(now);
      if (open) ages.setAttribute('open', '');
      const focused = rest.contains(document.activeElement);
      rest.replaceChildren(
        item(`source ${now.source}`, msg('Where the data comes from'), source(now)),
        ...clock(now),
        ...(now.ready
          ? []
          : [item('bad', msg('The data service is still filling its archive'), msg('warming up'))]),
        ages,
        budget(now),
        outbox(now),
      );
      if (focused) ages.querySelector('summary')?.focus();
    } catch {
      rest.classList.add('old');
      gone.textContent = msg('{age} ago', { age: age(Date.now() - seen) });
      return;
    }
    rest.classList.remove('old');
    gone.textContent = '';
  };

  const loop = async () => {
    if (!document.hidden) await refresh();
    setTimeout(loop, every);
  };
  document.addEventListener('visibilitychange', () => void (document.hidden || refresh()));
  void loop();
  return { connection };
}
