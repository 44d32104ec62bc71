import { readNumber } from '../language/typed-number.ts';
import type { DeskMetric } from '../platforms/rule-desk.ts';
import {
  choose,
  chosenMetric,
  clear,
  clearLevel,
  condition,
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
import { roundTo } from './level-scale.ts';
import { marketName } from './numbers.ts';
import { msg, title } from './words.ts';

const holds = ['0m', '5m', '15m', '1h', '4h'];
const severities = ['info', 'warning', 'critical'] as const;
const groups = ['top10', 'top20', 'all'];

const namespaceOf = ({ name }: DeskMetric): string => name.split('.')[0] ?? '';

function MetricChoice() {
  const bySpace = Map.groupBy(desk.value?.metrics ?? [], namespaceOf);
  return (
    <label class="wide">
      <span>{msg('Metric')}</span>
      <select value={metric.value} onChange={({ currentTarget }) => choose({ metric: currentTarget.value })}>
        {[...bySpace].map(([space, of]) => (
          <optgroup key={space} label={space}>
            {of.map(({ name, words }) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function MarketChoice() {
  if (condition.value === '' && chosenMetric.value?.about === 'market') return null;
  const listed = desk.value?.markets ?? [];
  const other = [...listed, ...groups].includes(markets.value) ? [] : [markets.value];
  return (
    <label>
      <span>{msg('Market')}</span>
      <select value={markets.value} onChange={({ currentTarget }) => (markets.value = currentTarget.value)}>
        {other.map((each) => (
          <option key={each}>{each}</option>
        ))}
        <optgroup label={msg('Several')}>
          {groups.map((each) => (
            <option key={each} value={each}>
              {each === 'all' ? msg('all markets') : each}
            </option>
          ))}
        </optgroup>
        <optgroup label={msg('One market')}>
          {listed.map((each) => (
            <option key={each} value={each}>
              {marketName(each)}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
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
    <div class="choices">
      {condition.value === '' && (
        <>
          <MetricChoice />
          <label>
            <span>{msg('Comparison')}</span>
            <select
              value={side.value}
              onChange={({ currentTarget }) =>
                choose({ side: currentTarget.value === 'below' ? 'below' : 'above' })
              }
            >
              <option value="above">{msg('rises above')}</option>
              <option value="below">{msg('falls below')}</option>
            </select>
          </label>
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
      <label>
        <span>{msg('For at least')}</span>
        <select value={hold.value} onChange={({ currentTarget }) => (hold.value = currentTarget.value)}>
          {[...new Set([...holds, hold.value])].map((each) => (
            <option key={each} value={each}>
              {each === '0m' ? msg('at once') : each}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{msg('Severity')}</span>
        <select
          value={severity.value}
          onChange={({ currentTarget }) =>
            (severity.value = severities.find((each) => each === currentTarget.value) ?? 'warning')
          }
        >
          {severities.map((each) => (
            <option key={each} value={each}>
              {title(each)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
