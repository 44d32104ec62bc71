/*
# Tocsin in one file

This page is a program: [mini.ts](mini.ts), written out. It has one detector, one list of stages and one platform, and the same bones
as the whole: read it before [architecture.md](architecture.md). `node bin/tocsin.js node docs/mini.ts` runs two days of a market in a
second, with commands typed on the way. What is left out is said where it would stand.
*/
import { DatabaseSync } from 'node:sqlite';

/*
## What happens: an alert

**Labels identify, annotations describe.** Two changes with the same labels are the same alert, whatever their numbers say, so a number
that moves is never a label. (In the whole: `src/alert`.)
*/
interface Change {
  readonly status: 'firing' | 'updated' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly severity: 'warning' | 'critical';
  /** What people read. */
  readonly summary: string;
}

const fingerprint = (labels: Change['labels']): string => JSON.stringify(Object.entries(labels).sort());

/*
## Where data comes from

The bot asks a data service over HTTP and knows nothing but its contract (`src/contract`, `src/client`); `src/service` is one such
service. Here a function stands for it: its answer follows from market time alone, and a row has the time of its data, because a poll
may bring the same row twice.
*/
const minute = 60_000;
const hour = 60 * minute;
const begin = Date.UTC(2026, 0, 1);

interface Row {
  readonly symbol: string;
  readonly timestamp: number;
  /** Standard deviations of the funding rate from its own last month. */
  readonly z: number;
}

function fundingExtremes(now: number): readonly Row[] {
  const timestamp = Math.floor(now / hour) * hour;
  const day = (timestamp - begin) / (24 * hour);
  return [
    { symbol: 'BTCUSDT', timestamp, z: 3.4 * Math.sin(2 * Math.PI * day) },
    { symbol: 'ETHUSDT', timestamp, z: 2.6 * Math.sin(2 * Math.PI * day + 1) },
  ];
}

/*
## A detector

`observe` reads the present. `step` is a pure reducer: the same state and observation give the same changes, live and over the past, so
it can be tested as a table and replayed. Three rules that every detector follows:

- The first observation is silent: a bot that starts does not tell what has stood for days.
- It begins above one level and ends below a lower one, so that a value that hovers is one episode.
- It counts data times and not polls: the same row twice confirms nothing.

In the whole, [detectors](../src/detectors) are files of one folder, and `kit/` is the one state machine under them.
*/
interface Seen {
  /** Data time of the newest row. */
  readonly time: number;
  /** Rows in a row above the level. */
  readonly high: number;
  /** Who pays, while an episode lasts; `silent` if it was there before the bot. */
  readonly open?: { readonly side: 'longs' | 'shorts'; readonly silent: boolean } | undefined;
}
type State = Readonly<Record<string, Seen>>;

const detector = {
  name: 'funding-extreme',
  options: { enter: 2, exit: 1, critical: 3, confirm: 2 },
  observe: (now: number) => fundingExtremes(now),
  step(before: State | undefined, rows: readonly Row[]): { state: State; changes: Change[] } {
    const { enter, exit, critical, confirm } = detector.options;
    const state: Record<string, Seen> = { ...before };
    const changes: Change[] = [];
    for (const { symbol, timestamp, z } of rows) {
      const { time, high: count, open: was }: Seen = before?.[symbol] ?? { time: 0, high: 0 };
      if (timestamp <= time) continue;
      const size = Math.abs(z);
      const side = z > 0 ? 'longs' : 'shorts';
      const high = size >= enter ? count + 1 : 0;
      const begins = before === undefined ? size >= exit : high >= confirm;
      const goesOn = was === undefined ? begins : was.side === side && size >= exit;
      const open = goesOn ? (was ?? { side, silent: before === undefined }) : undefined;
      state[symbol] = { time: timestamp, high, open };
      const told = was ?? open;
      if (told === undefined || told.silent) continue;
      changes.push({
        status: open === undefined ? 'resolved' : was === undefined ? 'firing' : 'updated',
        labels: { kind: detector.name, symbol, side: told.side },
        severity: size >= critical ? 'critical' : 'warning',
        summary: `${symbol.replace('USDT', '')} funding ${z.toFixed(1)} σ: ${side} pay`,
      });
    }
    return { state, changes };
  },
};

/*
## What is kept

Every step is committed before the next begins, so the process may be killed anywhere and goes on where it was. A detector's new state,
its alerts and what is to be sent are **one** transaction: a crash repeats the poll, never the alert. (In the whole: `src/store`, on SQLite
and Postgres, with a page of receivers at a time between the alert and the outbox.)
*/
function openStore(path: string) {
  const db = new DatabaseSync(path);
  db.exec(`
    create table if not exists detector (name text primary key, state text not null);
    create table if not exists subscription (room text primary key);
    create table if not exists silence (room text, symbol text, until real, primary key (room, symbol));
    create table if not exists outbox (id integer primary key, room text, print text, change text not null);
    create table if not exists sent (room text, print text, severity text, outcome text not null);
  `);
  return {
    all: <Found>(sql: string, ...values: (string | number)[]) => db.prepare(sql).all(...values) as Found[],
    run: (sql: string, ...values: (string | number)[]) => void db.prepare(sql).run(...values),
    transaction(work: () => void) {
      db.exec('begin immediate');
      try {
        work();
        db.exec('commit');
      } catch (error) {
        db.exec('rollback');
        throw error;
      }
    },
  };
}
type Store = ReturnType<typeof openStore>;

function dispatch(store: Store, now: number): void {
  const [kept] = store.all<{ state: string }>('select state from detector where name = ?', detector.name);
  const before: State | undefined = kept && JSON.parse(kept.state);
  const { state, changes } = detector.step(before, detector.observe(now));
  store.transaction(() => {
    store.run('insert or replace into detector values (?, ?)', detector.name, JSON.stringify(state));
    const put = 'insert into outbox (room, print, change) values (?, ?, ?)';
    for (const change of changes)
      for (const { room } of store.all<{ room: string }>('select room from subscription'))
        store.run(put, room, fingerprint(change.labels), JSON.stringify(change));
  });
}

/*
## The stages of a delivery

Each stage passes a message on or stops it **with a reason**, which is stored: nothing vanishes, and `why` shows it. The list is what to
read first in the whole, too: [pipeline.ts](../src/pipeline/pipeline.ts).
*/
interface Item {
  readonly room: string;
  readonly print: string;
  readonly change: Change;
}
type Stage = (item: Item, at: { readonly store: Store; readonly now: number }) => string | undefined;

/** People asked not to hear of this market for a while. */
const silence: Stage = ({ room, change: { labels } }, { store, now }) => {
  const asked = 'select 1 from silence where room = ? and symbol = ? and until > ?';
  return store.all(asked, room, labels.symbol ?? '', now).length > 0 ? 'silenced' : undefined;
};

/** A number that moved a little is no news: a beginning, another severity and an end are. */
const dedup: Stage = ({ room, print, change }, { store }) => {
  const [last] = store.all<{ severity: string }>(
    "select severity from sent where room = ? and print = ? and outcome = 'sent' order by rowid desc limit 1",
    ...[room, print],
  );
  if (change.status === 'updated') return last?.severity === change.severity ? 'already said' : undefined;
  return change.status === 'resolved' && last === undefined ? 'nothing to end' : undefined;
};

const stages: readonly Stage[] = [silence, dedup];

/*
## A platform

A platform is a *notifier*, which tries a post once and reports whose turn it is if that fails, and a *conversation*, which passes typed
lines on. Order, retries and silences belong to the pipeline alone, so a new platform is a hundred lines. Between what a command answers
and what a platform shows stands a **card**: every platform renders it in its own way. (In the whole: `src/card`, `src/platforms`.)
*/
interface Card {
  readonly title: string;
  readonly lines?: readonly string[];
}
interface Notifier {
  /** @throws Error if the post did not arrive; the pipeline tries again. */
  send(room: string, card: Card): void;
}

const terminal = (write: (line: string) => void): Notifier => ({
  send: (room, { title, lines = [] }) => {
    write(`[${room}] ${title}`);
    for (const line of lines) write(`  ${line}`);
  },
});

const cardOf = ({ status, severity, summary }: Change): Card => ({
  title: `${status === 'resolved' ? 'Ended' : severity === 'critical' ? 'CRITICAL' : 'Warning'}: ${summary}`,
});

/** Sends what is due, in order. What was sent is stored before the next is begun; after a crash between, one post may come twice. */
function deliver(store: Store, notifier: Notifier, now: number): void {
  const due = store.all<{ id: number; room: string; print: string; change: string }>(
    'select * from outbox order by id',
  );
  for (const { id, room, print, change } of due) {
    const item: Item = { room, print, change: JSON.parse(change) as Change };
    let outcome: string | undefined;
    for (const stage of stages) outcome ??= stage(item, { store, now });
    try {
      if (outcome === undefined) notifier.send(room, cardOf(item.change));
    } catch {
      // It stays in the outbox, and so does what comes after it.
      return;
    }
    store.transaction(() => {
      store.run('insert into sent values (?, ?, ?, ?)', room, print, item.change.severity, outcome ?? 'sent');
      store.run('delete from outbox where id = ?', id);
    });
  }
}

/*
## Commands

A line becomes a card. In the whole, a [command](../src/commands) declares its `input` as a zod schema, from which usage, help, completion
and Discord's menus follow; and each person has rights.
*/
const commands: Readonly<Record<string, (words: readonly string[], at: Asked) => Card>> = {
  subscribe(_, { store, room }) {
    store.run('insert or ignore into subscription values (?)', room);
    return { title: 'Subscribed' };
  },
  silence([symbol = 'BTCUSDT', hours = '4'], { store, room, now }) {
    store.run('insert or replace into silence values (?, ?, ?)', room, symbol, now + Number(hours) * hour);
    return { title: `${symbol} is silent for ${hours} h` };
  },
  why(_, { store, room }) {
    const rows = store.all<{ outcome: string; times: number }>(
      'select outcome, count(*) as times from sent where room = ? group by outcome order by outcome',
      room,
    );
    return {
      title: 'What became of alerts',
      lines: rows.map(({ outcome, times }) => `${times} × ${outcome}`),
    };
  },
};
interface Asked {
  readonly store: Store;
  readonly room: string;
  readonly now: number;
}

function answer(line: string, asked: Asked): Card {
  const [name = '', ...words] = line.split(' ');
  return commands[name]?.(words, asked) ?? { title: `"${name}" is no command`, lines: Object.keys(commands) };
}

/*
## Put together

Time is a parameter: a test, a replay and a bot differ in who says what time it is. Here each look is five minutes after the last.
*/
export function run({
  write,
  said,
  path = ':memory:',
}: {
  readonly write: (line: string) => void;
  /** What is typed, by the hour after the start. */
  readonly said: Readonly<Record<number, string>>;
  readonly path?: string;
}): void {
  const store = openStore(path);
  const notifier = terminal(write);
  for (let now = begin; now < begin + 48 * hour; now += 5 * minute) {
    const line = said[(now - begin) / hour];
    if (line !== undefined) notifier.send('main', answer(line, { store, room: 'main', now }));
    dispatch(store, now);
    deliver(store, notifier, now);
  }
}

if (import.meta.main)
  run({
    write: (line) => void process.stdout.write(`${line}\n`),
    said: { 0: 'subscribe', 12: 'silence ETHUSDT 8', 47: 'why' },
  });
