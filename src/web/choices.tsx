import type { ComponentChildren } from 'preact';
import { readNumber } from '../language/typed-number.ts';
import type { DeskMetric } from '../platforms/web/ports/rule-desk.ts';
import {
  choose,
  chosenMetric,
  clear,
  clearLevel,
  condition,
  crosses,
  desk,
  hold,
  isLevelKnown,
  level,
  markets,
  metric,
  setLevel,
  severity,
  side,
  step,
} from './draft.ts';
import { optionsOf } from './fields.tsx';
import { roundTo } from './level-scale.ts';
import { marketName } from './numbers.ts';
import { labelTitle, msg } from './words.ts';

const holds = ['0m', '5m', '15m', '1h', '4h'];
const severities = ['info', 'warning', 'critical'] as const;
const groups = ['top10', 'top20', 'all'];

const namespaceOf = ({ name }: DeskMetric): string => name.split('.')[0] ?? '';

function Select({
  name,
  value,
  wide = false,
  choose: onChoose,
  children,
}: {
  readonly name: string;
  readonly value: string;
  readonly wide?: boolean;
  readonly choose: (value: string) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label class={wide ? 'wide' : undefined}>
      <span>{name}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {children}
      </select>
    </label>
  );
}

function MetricChoice() {
  const bySpace = Map.groupBy(desk.value?.metrics ?? [], namespaceOf);
  return (
    <Select name={msg('Metric')} value={metric.value} wide choose={(value) => choose({ metric: value })}>
      {[...bySpace].map(([space, of]) => (
        <optgroup key={space} label={space}>
          {of.map(({ name, words }) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}

function MarketChoice() {
  if (condition.value === '' && chosenMetric.value?.about === 'market') return null;
  const listed = desk.value?.markets ?? [];
  const other = [...listed, ...groups].includes(markets.value) ? [] : [markets.value];
  return (
    <Select name={msg('Market')} value={markets.value} choose={(value) => (markets.value = value)}>
      {optionsOf(other)}
      <optgroup label={msg('Several')}>
        {optionsOf(groups, (each) => (each === 'all' ? msg('all markets') : each))}
      </optgroup>
      <optgroup label={msg('One market')}>{optionsOf(listed, marketName)}</optgroup>
    </Select>
  );
}

/** Input for when the alert ends: a level of the metric, or a condition. */
function ClearChoice() {
  const own = condition.value !== '';
  return (
    <label class={own || readNumber(clear.value || '0') === undefined ? 'wide' : undefined}>
      <span>{own ? msg('Clears when') : msg('Clears at')}</span>
      <input
        value={clear.value}
        placeholder={own ? msg('no longer true') : String(roundTo(clearLevel.value ?? 0, step.value / 10))}
        spellcheck={false}
        onInput={({ currentTarget }) => (clear.value = currentTarget.value.trim())}
      />
    </label>
  );
}

/** The inputs of an alert: what it watches, from which level on, and how severe it is. */
export function Choices() {
  return (
    <div class="choices row">
      {condition.value === '' && (
        <>
          <MetricChoice />
          <Select
            name={msg('Comparison')}
            value={`${crosses.value ? 'crosses ' : ''}${side.value}`}
            choose={(value) => {
              crosses.value = value.startsWith('crosses');
              const next = value.endsWith('below') ? 'below' : 'above';
              if (next !== side.value) choose({ side: next });
            }}
          >
            <option value="above">{msg('rises above')}</option>
            <option value="below">{msg('falls below')}</option>
            <option value="crosses above">{msg('crosses above')}</option>
            <option value="crosses below">{msg('crosses below')}</option>
          </Select>
          <label>
            <span>{msg('Level')}</span>
            <input
              type="number"
              step="any"
              value={isLevelKnown.value ? level.value : ''}
              onInput={({ currentTarget }) => {
                const value = currentTarget.valueAsNumber;
                if (Number.isFinite(value)) setLevel(value);
              }}
            />
          </label>
        </>
      )}
      <ClearChoice />
      <MarketChoice />
      {(condition.value !== '' || !crosses.value) && (
        <Select name={msg('For at least')} value={hold.value} choose={(value) => (hold.value = value)}>
          {optionsOf([...new Set([...holds, hold.value])], (each) => (each === '0m' ? msg('at once') : each))}
        </Select>
      )}
      <Select
        name={msg('Severity')}
        value={severity.value}
        choose={(value) => (severity.value = severities.find((each) => each === value) ?? 'warning')}
      >
        {optionsOf(severities, labelTitle)}
      </Select>
    </div>
  );
}
