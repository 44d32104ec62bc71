import { computed, effect, signal } from '@preact/signals';
import { readNumber } from '../language/typed-number.ts';
import type { PastSeries } from '../platforms/past-series.ts';
import type { Desk, DeskMetric, DeskRule } from '../platforms/rule-desk.ts';
import { type DraftJson, draftOf, readDesk, readSeries } from './api.ts';
import { type Firing, firingsOf } from './firings.ts';
import { boundsOf, roundStep, roundTo } from './level-scale.ts';

/** What own alerts can be about, which there are, and the presets. */
export const desk = signal<Desk | undefined>(undefined);

export const metric = signal('price.change24hPct');
export const side = signal<'above' | 'below'>('above');
export const level = signal(0);
/** A market, or a group of them as a command takes it. */
export const markets = signal('');
export const hold = signal('0m');
export const severity = signal<DeskRule['severity']>('warning');
/** When it is over, as it is typed: a level or a condition; empty: as is usual for the metric. */
export const clear = signal('');
/** A condition in CEL instead of metric and level; empty: there is none. */
export const condition = signal('');
/** The alert that is being changed, as it was. */
export const edited = signal<DeskRule | undefined>(undefined);

/** Undefined while the server is being asked. */
export const series = signal<PastSeries | undefined>(undefined);
export const seriesFailure = signal<string | undefined>(undefined);

/** The same object for as long as nothing has changed, however often the desk is read. */
let before: DeskMetric | undefined;
export const chosen = computed(() => {
  const found = desk.value?.metrics.find(({ name }) => name === metric.value);
  if (found?.name !== before?.name) before = found;
  return before;
});
const known = computed(() => series.value?.points.flatMap(([, value]) => value ?? []) ?? []);
/** A level that was given otherwise than by the slider: the drawing reaches as far as this. */
const given = signal<number | undefined>(undefined);
export const bounds = computed(() => boundsOf(known.value, given.value ?? known.value[0] ?? level.value));

export function giveLevel(value: number): void {
  given.value = value;
  level.value = value;
}
/** What one step of the level is, so that it stays a round number. */
export const step = computed(() => {
  const values = known.value;
  const [low, high] = boundsOf(values, values[0] ?? level.value);
  return roundStep(high - low, 200);
});

const lengths: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const lengthOf = (text: string): number => Number.parseInt(text, 10) * (lengths[text.at(-1) ?? ''] ?? 0);

/** At which it is over; undefined: by a condition, of which this chart does not tell. */
export const clearLevel = computed(() => {
  if (clear.value !== '') return readNumber(clear.value);
  const { fixed = 0, share = 0 } = chosen.value?.slack ?? {};
  const slack = fixed + share * Math.abs(level.value);
  return side.value === 'above' ? level.value - slack : level.value + slack;
});

/** Undefined where the chart does not tell when they are over. */
export const firings = computed<readonly Firing[] | undefined>(() => {
  if (clearLevel.value === undefined) return undefined;
  return firingsOf(series.value?.points ?? [], {
    side: side.value,
    level: level.value,
    slack: Math.abs(level.value - clearLevel.value),
    hold: lengthOf(hold.value),
  });
});

/** The market whose past is drawn: the first of a group. */
export const drawn = computed(() => {
  const listed = desk.value?.markets ?? [];
  return listed.includes(markets.value) ? markets.value : listed[0];
});

/** A level that few of the values are beyond: something to begin with. */
function suggest(values: readonly number[]): void {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.floor((sorted.length - 1) * (side.peek() === 'above' ? 0.97 : 0.03));
  const value = sorted[at];
  given.value = undefined;
  if (value !== undefined) level.value = roundTo(value, step.peek());
}

/** Whether the level is to be chosen anew once the past is there. */
let open = true;
/** Chooses another metric or side, with a level that suits it. */
export function choose(given: { readonly metric?: string; readonly side?: 'above' | 'below' }): void {
  if (given.side !== undefined) side.value = given.side;
  if (given.metric !== undefined) metric.value = given.metric;
  clear.value = '';
  if (given.metric === undefined) suggest(known.peek());
  else open = true;
}

/** Fills the draft with an alert that there is. */
export function edit(rule: DeskRule): void {
  edited.value = rule;
  hold.value = rule.hold;
  severity.value = rule.severity;
  clear.value = rule.clear ?? '';
  markets.value = rule.symbols.includes('*') ? 'all' : rule.symbols.join(',');
  if (rule.simple === undefined) condition.value = rule.condition;
  else {
    const { metric: about, above, below } = rule.simple;
    condition.value = '';
    side.value = above === undefined ? 'below' : 'above';
    open = false;
    metric.value = about;
    giveLevel(above ?? below ?? 0);
  }
}

export const refresh = async (): Promise<void> => {
  desk.value = await readDesk();
  if (markets.peek() === '') markets.value = desk.value.markets[0] ?? '';
};

/** What the server answers about the draft: undefined until it has. */
export const draft = signal<DraftJson | undefined>(undefined);

export const asked = computed(() => {
  const { value: own } = condition;
  const last = firings.value?.at(-1)?.peak;
  const about = own === '' ? { metric: metric.value, [side.value]: level.value } : { when: own };
  return {
    ...about,
    ...(clear.value !== '' && { clear: clear.value }),
    ...(clear.value === '' && edited.value?.clear !== undefined && { clear: 'none' }),
    symbols: markets.value,
    // What is left out of a change stays as it was.
    ...((hold.value !== '0m' || edited.value !== undefined) && { for: hold.value }),
    ...((severity.value !== 'warning' || edited.value !== undefined) && { severity: severity.value }),
    ...(edited.value !== undefined && { id: edited.value.id }),
    ...(own === '' && last !== undefined && { value: last }),
  };
});

/**
 * Ms without a change after which the server is asked; while somebody drags, the page shows what it can tell by itself.
 */
const rest = 200;

/** Ms after which the past is asked for again: a simulated market is hours further by then. */
const renewed = 60_000;

function loadSeries(about: DeskMetric, symbol: string | undefined): void {
  const current = () => chosen.peek()?.name === about.name && drawn.peek() === symbol;
  readSeries({ metric: about.name, symbol: about.about === 'symbol' ? symbol : undefined, days: 30 }).then(
    (found) => {
      if (!current()) return;
      series.value = found;
      seriesFailure.value = undefined;
      if (open) suggest(known.peek());
      open = false;
    },
    (error: unknown) => {
      if (current() && series.peek() === undefined) seriesFailure.value = messageOf(error);
    },
  );
}

/** Asks for what the choices need, for as long as the view is open. @returns ends it */
export function followDraft(): () => void {
  let timer = 0;
  const ends = [
    effect(() => {
      const now = asked.value;
      if (desk.value === undefined) return;
      clearTimeout(timer);
      timer = window.setTimeout(async () => {
        const said = await draftOf(now).catch((error: unknown) => ({ problem: messageOf(error) }));
        if (asked.peek() === now) draft.value = said;
      }, rest);
    }),
    effect(() => {
      const about = chosen.value;
      const symbol = drawn.value;
      if (about === undefined) return;
      series.value = undefined;
      seriesFailure.value = undefined;
      const load = () => loadSeries(about, symbol);
      load();
      const timer = setInterval(load, renewed);
      return () => clearInterval(timer);
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
  };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
