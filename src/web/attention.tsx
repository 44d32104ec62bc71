import { computed, signal } from '@preact/signals';
import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
import { hour } from '../runtime/lengths.ts';
import { messageOf, runLine } from './api.ts';
import { firing } from './held-alerts.ts';
import { kept } from './kept.ts';
import { marketNow } from './model.ts';
import { msg } from './words.ts';

/** How many alerts, and how many snoozes, a browser remembers. */
const mostKept = 500;

/** What this browser remembers by a key, each with a number, the newest last. */
function remembered(name: string) {
  const json = kept(name);
  const all = computed<ReadonlyMap<string, number>>(() => new Map(JSON.parse(json.value || '[]')));
  return {
    get: (key: string) => all.value.get(key),
    set(key: string, to?: number) {
      const others = [...all.value].filter(([each]) => each !== key);
      const next = to === undefined ? others : [...others, [key, to]];
      json.value = JSON.stringify(next.slice(-mostKept));
    },
  };
}

const acknowledged = remembered('tocsin.acknowledged');
/** By kind and market: until when nothing is announced, market ms. */
const snoozed = remembered('tocsin.snoozed');

/** An alert that gets worse asks for attention again. */
const keyOf = ({ id, severity }: AlertRow): string => `${id} ${severity}`;
const aboutOf = ({ kind, symbol }: AlertRow): string => [kind, symbol].filter(Boolean).join(' ');

export const isAcknowledged = (alert: AlertRow): boolean => acknowledged.get(keyOf(alert)) !== undefined;
export const isSnoozed = (alert: AlertRow): boolean => (snoozed.get(aboutOf(alert)) ?? 0) > marketNow.value;

/** Firing alerts that nobody has acknowledged in this browser. */
export const unacknowledged = computed(() => firing.value.filter((alert) => !isAcknowledged(alert)));

/** What came of the last snooze, and how it is taken back. */
const outcome = signal<{ readonly said: string; readonly undo?: () => void } | undefined>(undefined);

/** Runs a line as if it had been typed in the chat. */
async function order(line: string, done: (undo: string | undefined) => (() => void) | undefined) {
  try {
    const { card, refused } = await runLine(line);
    const undo = refused
      ? undefined
      : done(card.actions?.find(({ command }) => command.startsWith('unsilence '))?.command);
    outcome.value = { said: card.title, ...(undo && { undo }) };
  } catch (error) {
    outcome.value = { said: messageOf(error) };
  }
}

const snooze = (alert: AlertRow, hours: number): Promise<void> =>
  order(`silence ${aboutOf(alert)} for=${hours}h`, (undo) => {
    const about = aboutOf(alert);
    snoozed.set(about, marketNow.value + hours * hour);
    acknowledged.set(keyOf(alert), 1);
    return undo === undefined
      ? undefined
      : () =>
          void order(undo, () => {
            snoozed.set(about);
            return undefined;
          });
  });

/** Takes note of an alert, so that it is no longer counted, or mutes its like for a while. */
export function Attention({ alert }: { readonly alert: AlertRow }) {
  const isKnown = isAcknowledged(alert);
  const { title } = alert;
  return (
    <div class="attention">
      <button
        type="button"
        aria-pressed={isKnown}
        title={msg('Acknowledge')}
        aria-label={msg('Acknowledge: {alert}', { alert: title })}
        onClick={() => acknowledged.set(keyOf(alert), isKnown ? undefined : 1)}
      >
        ✓
      </button>
      <details>
        <summary title={msg('Snooze')} aria-label={msg('Snooze: {alert}', { alert: title })}>
          ☾
        </summary>
        <div>
          {[1, 4, 24].map((hours) => (
            <button
              key={hours}
              type="button"
              title={`silence ${aboutOf(alert)} for=${hours}h`}
              aria-label={msg('Snooze {hours} h: {alert}', { hours, alert: title })}
              onClick={() => void snooze(alert, hours)}
            >
              {msg('{hours} h', { hours })}
            </button>
          ))}
        </div>
      </details>
    </div>
  );
}

/** Says what came of the last snooze, over the end of the list. */
export const SnoozeOutcome = () => (
  <div class="snooze-outcome" role="status">
    {outcome.value && (
      <p>
        {outcome.value.said}{' '}
        {outcome.value.undo && (
          <button type="button" onClick={outcome.value.undo}>
            {msg('Undo')}
          </button>
        )}
      </p>
    )}
  </div>
);
