import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
import { keptIn, optionsOf } from './fields.tsx';
import { marketName } from './numbers.ts';
import { inAddress } from './route.ts';
import { label, msg } from './words.ts';

const severities = ['critical', 'warning', 'info'] as const;
const states = {
  firing: msg('firing'),
  ended: msg('ended'),
  told: msg('sent'),
  held: msg('not sent'),
} as const;

const filter = {
  kind: inAddress('kind'),
  market: inAddress('market'),
  severity: inAddress('severity'),
  state: inAddress('state'),
  text: inAddress('text'),
};

/** Whether an alert is one of those that the reader wants to see. */
export function isChosen({ kind, symbol, severity, endsAt, delivery, title }: AlertRow): boolean {
  const { kind: wantedKind, market, severity: wantedSeverity, state, text } = filter;
  const is = {
    firing: endsAt === null,
    ended: endsAt !== null,
    told: delivery === 'sent',
    held: delivery === 'held',
  };
  return (
    (wantedKind.value === '' || kind === wantedKind.value) &&
    (market.value === '' || symbol === market.value) &&
    (wantedSeverity.value === '' || severity === wantedSeverity.value) &&
    (!(state.value in is) || is[state.value as keyof typeof is]) &&
    title.toLowerCase().includes(text.value.trim().toLowerCase())
  );
}

function Choice({
  name,
  of,
  among,
  words,
  all,
}: {
  readonly name: string;
  readonly of: keyof typeof filter;
  readonly among: readonly string[];
  /** How a value is written. */
  readonly words: (value: string) => string;
  readonly all: string;
}) {
  const { [of]: chosen } = filter;
  // What the address names is offered even where no alert is like that.
  const offered = new Set([...among, ...(chosen.value === '' ? [] : [chosen.value])]);
  return (
    <select aria-label={name} {...keptIn(chosen)}>
      <option value="">{all}</option>
      {optionsOf([...offered], words)}
    </select>
  );
}

const distinct = (values: readonly (string | undefined)[]): string[] =>
  [...new Set(values.filter((value) => value !== undefined))].sort();

/** Chooses alerts by kind, market, severity, state and text. What is chosen stands in the address. */
export function AlertFilter({ rows }: { readonly rows: readonly AlertRow[] }) {
  const kinds = distinct(rows.map(({ kind }) => kind));
  const markets = distinct(rows.map(({ symbol }) => symbol));
  return (
    <search class="filter row">
      <Choice of="kind" name={msg('Kind')} all={msg('all kinds')} among={kinds} words={label} />
      <Choice of="market" name={msg('Market')} all={msg('all markets')} among={markets} words={marketName} />
      <Choice
        of="severity"
        name={msg('Severity')}
        all={msg('all severities')}
        among={severities}
        words={label}
      />
      <Choice
        of="state"
        name={msg('State')}
        all={msg('firing and ended')}
        among={Object.keys(states)}
        words={(state) => states[state as keyof typeof states] ?? state}
      />
      <input
        type="search"
        aria-label={msg('Text of the alert')}
        placeholder={msg('Text')}
        {...keptIn(filter.text)}
      />
    </search>
  );
}
