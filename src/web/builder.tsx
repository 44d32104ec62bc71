import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readNumber } from '../language/typed-number.ts';
import type { DeskMetric } from '../platforms/rule-desk.ts';
import { previewOf } from './api.ts';
import {
  choose,
  chosenMetric,
  clear,
  clearLevel,
  condition,
  desk,
  draft,
  draftKey,
  draftRequest,
  edited,
  hold,
  isLevelKnown,
  level,
  markets,
  messageOf,
  metric,
  series,
  seriesFailure,
  setLevel,
  severity,
  side,
  step,
} from './draft.ts';
import { FiringList, LevelChart } from './level-chart.tsx';
import { roundTo } from './level-scale.ts';
import { marketName } from './numbers.ts';
import { busy, runCommand } from './order.ts';
import { Posts } from './posts.tsx';
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

function Choices() {
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

/** Draws the metric's past with the level, or says why there is nothing to draw. */
function Past() {
  if (condition.value !== '')
    return (
      <p class="empty">{msg('A condition has no single line to draw: check it by replaying the past.')}</p>
    );
  if (seriesFailure.value !== undefined) return <p class="empty">{seriesFailure.value}</p>;
  if (series.value === undefined) return <p class="empty waiting">{msg('Asking…')}</p>;
  if (series.value.points.filter(([, value]) => value !== null).length < 2)
    return (
      <p class="empty">
        {msg('No history of this metric here: set the level, and check it by replaying the past.')}
      </p>
    );
  return (
    <>
      <LevelChart />
      <FiringList />
    </>
  );
}

/** Lets the bot replay the past and shows how often the alert would have been sent. */
function Check() {
  const result = useSignal<string | undefined>(undefined);
  const isReplaying = useSignal(false);
  const request = draftRequest.value;
  useEffect(() => {
    result.value = undefined;
  }, [draftKey.value]);
  async function check(): Promise<void> {
    if (request === undefined) return;
    const key = draftKey.peek();
    isReplaying.value = true;
    const { summary = '' } = await previewOf(request).catch((error: unknown) => ({
      summary: messageOf(error),
    }));
    isReplaying.value = false;
    // The replay is of the draft as it was: it says nothing of one that was changed meanwhile.
    if (draftKey.peek() === key) result.value = summary;
  }
  return (
    <div class="check">
      <button
        type="button"
        disabled={isReplaying.value || request === undefined}
        onClick={() => void check()}
      >
        {isReplaying.value ? msg('Replaying 30 days…') : msg('Check by replaying 30 days')}
      </button>
      <p role="status">{result.value}</p>
    </div>
  );
}

function Sentence() {
  if (draftRequest.value === undefined)
    return (
      <p class="sentence">
        {series.value === undefined && seriesFailure.value === undefined
          ? msg('Asking…')
          : msg('Set the level at which it fires.')}
      </p>
    );
  if (draft.value === undefined) return <p class="sentence">{msg('Asking…')}</p>;
  const { answer, key } = draft.value;
  if ('problem' in answer)
    return (
      <p class="sentence problem" role="alert">
        {answer.problem}
      </p>
    );
  async function save(line: string): Promise<void> {
    const saved = edited.peek();
    if ((await runCommand(line)) && edited.peek() === saved) edited.value = undefined;
  }
  // Until the server has answered, the line is still that of the draft before the last change.
  const isOutdated = key !== draftKey.value;
  return (
    <>
      <p class="sentence">
        {answer.sentence} <small>{msg('Clears when: {condition}.', { condition: answer.clears })}</small>
      </p>
      <div class="save">
        <code>{answer.line}</code>
        <button
          type="button"
          class="primary"
          disabled={busy.value || isOutdated}
          onClick={() => void save(answer.line)}
        >
          {edited.value === undefined ? msg('Create alert') : msg('Save changes')}
        </button>
        {edited.value !== undefined && (
          <button type="button" onClick={() => (edited.value = undefined)}>
            {msg('New alert instead')}
          </button>
        )}
      </div>
    </>
  );
}

/** Builds an alert over the past of its metric. Saving runs a command line that could also be typed. */
export function Builder() {
  const answer = draft.value?.answer;
  return (
    <section class="tile builder" aria-label={msg('Build an alert')}>
      <header>
        <h2>
          {edited.value === undefined
            ? msg('Build an alert')
            : msg('Change alert {id}', { id: edited.value.id })}
        </h2>
        {condition.value === '' && <p class="about">{chosenMetric.value?.description}</p>}
        {series.value !== undefined && <span class="as-of">{series.value.source}</span>}
      </header>
      <Choices />
      <Past />
      <Sentence />
      <Check />
      <details open={condition.value !== ''}>
        <summary>{msg('Advanced: a condition of your own')}</summary>
        <label>
          <span>
            {msg('Join several metrics, e.g. {example}', {
              example: 'funding.z > 2.5 && oi.ratePct > 1',
            })}
          </span>
          <textarea
            rows={2}
            spellcheck={false}
            value={condition.value}
            onInput={({ currentTarget }) => (condition.value = currentTarget.value.trim())}
          />
        </label>
      </details>
      {answer !== undefined && 'card' in answer && <Posts card={answer.card} />}
    </section>
  );
}
