import { computed, effect, signal } from '@preact/signals';
import { movedLevel } from '../alert/slack.ts';
import type { CardJson } from '../card/render-json.ts';
import { readNumber } from '../language/typed-number.ts';
import type { PastSeries } from '../platforms/web/ports/past-series.ts';
import type { Desk, DeskMetric, DeskRule, Draft } from '../platforms/web/ports/rule-desk.ts';
import { day, hour, minute, second } from '../runtime/lengths.ts';
import { draftOf, messageOf, readDesk, readSeries } from './api.ts';
import { keepAsking } from './asked.ts';
import { type Firing, firingsOf } from './firings.ts';
import { boundsOf, roundStep, roundTo } from './level-scale.ts';

/** What own alerts can be about, the existing own alerts, and the presets. */
export const desk = signal<Desk | undefined>(undefined);

export const metric = signal('price.change24hPct');
export const side = signal<'above' | 'below'>('above');
/** Whether it fires at the moment at which the value crosses the level, which cannot last. */
export const crosses = signal(false);
export const level = signal(0);
/** A market, or a group of markets as a command takes it. */
export const markets = signal('');
export const hold = signal('0m');
export const severity = signal<DeskRule['severity']>('warning');
/** When the alert ends, as it is typed: a level or a condition. Empty: the metric's default. */
export const clear = signal('');
/** A condition in CEL instead of metric and level; empty if there is none. */
export const condition = signal('');
/** The alert that is being edited, in its stored version. */
export const edited = signal<DeskRule | undefined>(undefined);

/** The past of the metric; undefined while it is loading. */
export const series = signal<PastSeries | undefined>(undefined);
export const seriesFailure = signal<string | undefined>(undefined);

/** Keeps the identity of the chosen metric when the desk is read again, so that nothing is loaded anew. */
let lastChosen: DeskMetric | undefined;
export const chosenMetric = computed(() => {
  const found = desk.value?.metrics.find(({ name }) => name === metric.value);
  if (found?.name !== lastChosen?.name) lastChosen = found;
  return lastChosen;
});
const seriesValues = computed(() => series.value?.points.flatMap(([, value]) => value ?? []) ?? []);
/** What the level is a level of. In dollars it is that of one market, else of any. */
const levelSubject = computed(() => {
  const isMoney = chosenMetric.value?.unit.startsWith('USD') ?? false;
  return isMoney ? `${metric.value} ${drawnMarket.value}` : metric.value;
});
/** The subject for which the level was set or suggested. */
const subjectOfLevel = signal<string | undefined>(undefined);
/** Whether the level was meant for what is chosen now. The level of another metric would be saved unseen. */
export const isLevelKnown = computed(() => subjectOfLevel.value === levelSubject.value);

/** A level that was not set with the slider; the chart's range includes it. */
const givenLevel = signal<number | undefined>(undefined);
export const bounds = computed(() =>
  boundsOf(seriesValues.value, givenLevel.value ?? seriesValues.value[0] ?? level.value),
);

export function setLevel(value: number): void {
  givenLevel.value = value;
  level.value = value;
  subjectOfLevel.value = levelSubject.peek();
}
/** Step of the slider, chosen so that the level stays a round number. */
export const step = computed(() => {
  const values = seriesValues.value;
  const [low, high] = boundsOf(values, values[0] ?? level.value);
  return roundStep(high - low, 200);
});

const unitLengths: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day };
const lengthOf = (text: string): number => Number.parseInt(text, 10) * (unitLengths[text.at(-1) ?? ''] ?? 0);

/** Level at which the alert ends; undefined if it ends by a condition, which the chart cannot evaluate. */
export const clearLevel = computed(() => {
  if (clear.value !== '') return readNumber(clear.value);
  const chosen = chosenMetric.value;
  if (chosen === undefined) return level.value;
  return movedLevel(level.value, { ...chosen, direction: side.value === 'above' ? -1 : 1 });
});

/** The firings in the chart; undefined if the chart cannot tell when they end. */
export const firings = computed<readonly Firing[] | undefined>(() => {
  if (clearLevel.value === undefined) return undefined;
  return firingsOf(series.value?.points ?? [], {
    side: side.value,
    level: level.value,
    slack: Math.abs(level.value - clearLevel.value),
    hold: crosses.value ? 0 : lengthOf(hold.value),
  });
});

/** The market whose past is drawn: the chosen one, or for a group the first market of the list. */
export const drawnMarket = computed(() => {
  const listed = desk.value?.markets ?? [];
  return listed.includes(markets.value) ? markets.value : listed[0];
});

/** Suggests a level that only few of the values are beyond. */
function suggest(values: readonly number[]): void {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.floor((sorted.length - 1) * (side.peek() === 'above' ? 0.97 : 0.03));
  const value = sorted[at];
  givenLevel.value = undefined;
  if (value === undefined) return;
  level.value = roundTo(value, step.peek());
  subjectOfLevel.value = levelSubject.peek();
}

/** Chooses another metric or side, with a suitable level. */
export function choose(given: { readonly metric?: string; readonly side?: 'above' | 'below' }): void {
  if (given.side !== undefined) side.value = given.side;
  if (given.metric !== undefined) metric.value = given.metric;
  clear.value = '';
  if (given.metric === undefined) suggest(seriesValues.peek());
}

/** Fills the draft with an existing alert. */
export function edit(rule: DeskRule): void {
  edited.value = rule;
  severity.value = rule.severity;
  fill(rule);
}

/** Fills in what an alert watches. */
export function fill(rule: Pick<DeskRule, 'clear' | 'condition' | 'hold' | 'simple' | 'symbols'>): void {
  hold.value = rule.hold;
  clear.value = rule.clear ?? '';
  // What is about the whole market names none.
  if (rule.symbols.length > 0) markets.value = rule.symbols.includes('*') ? 'all' : rule.symbols.join(',');
  if (rule.simple === undefined) condition.value = rule.condition;
  else {
    const { metric: about, above, below } = rule.simple;
    condition.value = '';
    crosses.value = rule.simple.crosses ?? false;
    side.value = above === undefined ? 'below' : 'above';
    metric.value = about;
    setLevel(above ?? below ?? 0);
  }
}

export const refresh = async (): Promise<void> => {
  desk.value = await readDesk();
  // What was deleted elsewhere cannot be changed any more: the draft is that of a new alert.
  if (!desk.value.rules.some(({ id }) => id === edited.peek()?.id)) edited.value = undefined;
  if (markets.peek() === '') markets.value = desk.value.markets[0] ?? '';
};

/** The server's response about the draft, and the key of the draft that it is about; undefined until the first one. */
export const draft = signal<{ readonly answer: Draft<CardJson>; readonly key: string } | undefined>(
  undefined,
);

/** Undefined while the level of what was chosen is not known. */
export const draftRequest = computed(() => {
  const { value: ownCondition } = condition;
  if (ownCondition === '' && !isLevelKnown.value) return undefined;
  const lastPeak = firings.value?.at(-1)?.peak;
  const target =
    ownCondition !== ''
      ? { when: ownCondition }
      : crosses.value
        ? { when: `${metric.value} crosses ${side.value} ${level.value}` }
        : { metric: metric.value, [side.value]: level.value };
  const isCrossing = ownCondition === '' && crosses.value;
  const holding = isCrossing ? '0m' : hold.value;
  const clearing =
    isCrossing && clearLevel.value !== undefined
      ? `${metric.value} ${side.value === 'above' ? '<=' : '>='} ${clearLevel.value}`
      : clear.value;
  const usualClear = edited.value?.clear === undefined ? undefined : 'none';
  // A parameter that is left out of an edit keeps its value.
  const isNew = edited.value === undefined;
  return {
    ...target,
    clear: clear.value === '' ? usualClear : clearing,
    symbols: markets.value,
    for: isNew && holding === '0m' ? undefined : holding,
    severity: isNew && severity.value === 'warning' ? undefined : severity.value,
    id: edited.value?.id,
    value: ownCondition === '' ? lastPeak : undefined,
  };
});

/** What would be saved: drafts with the same key differ at most in the value that the example post shows. */
export const draftKey = computed(() => JSON.stringify({ ...draftRequest.value, value: undefined }));

/**
 * Ms without a change after which the server is asked about the draft; while the slider moves, the page shows only what
 * it can compute itself.
 */
const quietPeriod = 200;

/** Ms after which the past is loaded again: by then a simulated market is hours further. */
const reloadInterval = 60_000;

/**
 * Loads what the draft needs for as long as the view is open.
 * @returns a function that stops it
 */
export function followDraft(): () => void {
  let timer = 0;
  const stops = [
    effect(() => {
      const now = draftRequest.value;
      clearTimeout(timer);
      if (desk.value === undefined || now === undefined) return;
      timer = window.setTimeout(async () => {
        const answer = await draftOf(now).catch((error: unknown) => ({ problem: messageOf(error) }));
        if (draftRequest.peek() === now) draft.value = { answer, key: draftKey.peek() };
      }, quietPeriod);
    }),
    effect(() => {
      const about = chosenMetric.value;
      const symbol = drawnMarket.value;
      if (about === undefined) return;
      series.value = undefined;
      seriesFailure.value = undefined;
      const of = { metric: about.name, symbol: about.about === 'symbol' ? symbol : undefined, days: 30 };
      return keepAsking(() => readSeries(of), {
        interval: reloadInterval,
        onAnswer(found) {
          series.value = found;
          seriesFailure.value = undefined;
          if (!isLevelKnown.peek()) suggest(seriesValues.peek());
        },
        onFailure(why) {
          if (series.peek() === undefined) seriesFailure.value = why;
        },
      });
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const end of stops) end();
  };
}
