import type { AlertRow } from '../platforms/web/ports/alert-feed.ts';
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
  all,
}: {
  readonly name: string;
  readonly of: keyof typeof filter;
  readonly among: readonly (readonly [value: string, words: string])[];
  readonly all: string;
}) {
  const { [of]: chosen } = filter;
  // What the address names is offered even where no alert is like that.
  const others = chosen.value === '' || among.some(([value]) => value === chosen.value) ? [] : [chosen.value];
  return (
    <select
      aria-label={name}
      value={chosen.value}
      onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
    >
      <option value="">{all}</option>
      {[...among, ...others.map((value) => [value, value] as const)].map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

const distinct = (values: readonly (string | undefined)[]): string[] =>
  [...new Set(values.filter((value) => value !== undefined))].sort();

/** Chooses alerts by kind, market, severity, state and text. What is chosen stands in the address. */
export function AlertFilter({ rows }: { readonly rows: readonly AlertRow[] }) {
  const kinds = distinct(rows.map(({ kind }) => kind)).map((kind) => [kind, label(kind)] as const);
  const markets = distinct(rows.map(({ symbol }) => symbol)).map((each) => [each, marketName(each)] as const);
  const grades = severities.map((each) => [each, label(each)] as const);
  return (
    <search class="filter">
      <Choice of="kind" name={msg('Kind')} all={msg('all kinds')} among={kinds} />
      <Choice of="market" name={msg('Market')} all={msg('all markets')} among={markets} />
      <Choice of="severity" name={msg('Severity')} all={msg('all severities')} among={grades} />
      <Choice of="state" name={msg('State')} all={msg('firing and ended')} among={Object.entries(states)} />
      <input
        type="search"
        aria-label={msg('Text of the alert')}
        placeholder={msg('Text')}
        value={filter.text.value}
        onInput={({ currentTarget }) => (filter.text.value = currentTarget.value)}
      />
    </search>
  );
}
