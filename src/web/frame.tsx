import { effect } from '@preact/signals';
import { unacknowledged } from './attention.tsx';
import { awayText } from './away.ts';
import { unread } from './chat.tsx';
import { connection, connectionRefusal, dataClock, health, isLive, piece, stoppedAt } from './model.ts';
import { asShare } from './numbers.ts';
import { openPalette } from './palette.tsx';
import { Places } from './places.tsx';
import { access } from './room.ts';
import { linkTo, type PageView, pathOf, view, viewName, views } from './route.ts';
import type { ConnectionState } from './stream.ts';
import { age, momentOf } from './time.ts';
import { label, labelTitle, msg } from './words.ts';

const connectionWord: Readonly<Record<ConnectionState, string>> = {
  open: msg('Connected'),
  connecting: msg('Connecting…'),
  lost: msg('Reconnecting…'),
};

/** Shows the source of the data at all times, e.g. "simulated, 240 ×". */
function Source() {
  const now = health.value;
  if (now === undefined) return null;
  const { source, speed } = now;
  return (
    <span class={`source ${source}`} title={msg('Where the data comes from')}>
      {speed === 1 ? label(source) : msg('{source}, {speed} ×', { source: label(source), speed })}
    </span>
  );
}

function DataClock() {
  const at = dataClock.value;
  const since = stoppedAt.value;
  if (at === undefined) return <span class="clock" />;
  return (
    <span class={isLive.value ? 'clock' : 'clock old'} title={msg('Market time, in your time zone')}>
      <time dateTime={new Date(at).toISOString()}>{momentOf(at)}</time>
      {since !== undefined && health.value !== undefined && (
        <span> · {msg('{age} ago', { age: age(health.value.marketTime - since) })}</span>
      )}
    </span>
  );
}

function Regime() {
  const regime = piece('regime').value;
  const at = dataClock.value;
  if (regime === undefined) return null;
  const { state, probabilities, likelier, since } = regime;
  const likeliest = likelier ?? state;
  const held = since === undefined || at === undefined || at <= since ? undefined : age(at - since);
  return (
    <span
      class={`regime ${likeliest}`}
      title={msg('What is likeliest; a label stands until another is likely enough')}
    >
      <b>{labelTitle(likeliest)}</b> {asShare(probabilities[likeliest])}
      {likelier === undefined
        ? held !== undefined && <i> {held}</i>
        : ` · ${msg('still labelled {state}', { state: labelTitle(state) })}${held === undefined ? '' : ` ${held}`}`}
    </span>
  );
}

function Feeds() {
  const now = health.value;
  if (now === undefined) return null;
  const { away, feeds, ready, loaded } = now;
  const stale = feeds.filter(({ fresh }) => !fresh).length;
  const word =
    away !== undefined
      ? awayText(away)
      : loaded !== undefined
        ? msg('loading history: {share}', { share: asShare(loaded) })
        : !ready
          ? msg('warming up')
          : stale > 0
            ? msg('{stale} of {all, plural, one {# feed} other {# feeds}} stale', {
                stale,
                all: feeds.length,
              })
            : msg('{all, plural, one {# feed fresh} other {# feeds fresh}}', { all: feeds.length });
  const bad = away !== undefined || (loaded === undefined && ready && stale > 0);
  return (
    <a class={bad ? 'feeds bad' : 'feeds'} {...linkTo('/health')}>
      {word}
    </a>
  );
}

effect(() => {
  const count = unacknowledged.value.length;
  document.title = count === 0 ? 'Tocsin' : `(${count}) Tocsin`;
  // Where the page is installed as an application. What the browser does with it changes nothing here.
  void navigator.setAppBadge?.(count).catch(() => {});
});

const countByView: Readonly<Partial<Record<PageView, () => number>>> = {
  alerts: () => unacknowledged.value.length,
  chat: () => unread.value,
};

function Views() {
  return (
    <nav aria-label={msg('Views')}>
      {views.map((each, index) => {
        const count = countByView[each]?.() ?? 0;
        return (
          <a
            key={each}
            {...linkTo(pathOf(each))}
            aria-current={view.value === each ? 'page' : undefined}
            title={msg('Key {key}', { key: index + 1 })}
          >
            {viewName[each]}
            {count > 0 && <b class="count">{count}</b>}
          </a>
        );
      })}
    </nav>
  );
}

/** The header of all views: the source and time of the data, the market regime, the feeds, the connection, and the views. */
export function Frame() {
  const state = connection.value;
  return (
    <header class="row">
      <h1>Tocsin</h1>
      <Source />
      <DataClock />
      <Regime />
      <Feeds />
      <span class="connection" data-state={state} role="status">
        {connectionWord[state]}
      </span>
      {access === 'member' && <Places />}
      <Views />
      <button type="button" class="command" onClick={openPalette} title={msg('Ctrl K')}>
        {msg('Command')}
      </button>
      {state === 'lost' && (
        <p class="banner" role="alert">
          {connectionRefusal.value ??
            msg('The bot does not answer. What is shown is of before; it comes back by itself.')}
        </p>
      )}
      {health.value?.away !== undefined && state === 'open' && (
        <p class="banner" role="alert">
          {awayText(health.value.away)}. {msg('Shown values may be old: see their age')}
        </p>
      )}
    </header>
  );
}
