import { signal, useSignal } from '@preact/signals';
import type { SettingRow, SettingValue } from '../platforms/web/ports/settings-desk.ts';
import { changeSetting, previewSetting, readSettings } from './api.ts';
import { useAsked } from './asked.ts';
import { act, busy, Failure, outcome } from './connect-acts.tsx';
import { asNumber } from './numbers.ts';
import { msg } from './words.ts';

const rows = signal<readonly SettingRow[] | undefined>(undefined);

/** Ms between two requests: what was changed applies within some seconds. */
const refreshInterval = 5_000;

export const sourceWord: Readonly<Record<SettingRow['source'], string>> = {
  default: msg('default'),
  here: msg('set here'),
  file: msg('set by a file'),
  environment: msg('set by the environment'),
};

/** The typed text as the setting wants it. Undefined: it is no number where one is needed. */
function readValue(text: string, may: NonNullable<SettingRow['may']>): SettingValue | undefined {
  if (may.nullable && text.trim() === '') return null;
  if (may.kind === 'boolean') return text === 'true';
  if (may.kind === 'text') return text.trim();
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? undefined : number;
}

function Field({ row, draft }: { readonly row: SettingRow; readonly draft: { value: string } }) {
  const { path, may } = row;
  const choices = may?.kind === 'boolean' ? ['true', 'false'] : may?.choices;
  const onChange = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
    draft.value = currentTarget.value;
  };
  return choices === undefined ? (
    <input aria-label={path} value={draft.value} maxLength={500} spellcheck={false} onInput={onChange} />
  ) : (
    <select aria-label={path} value={draft.value} onChange={onChange}>
      {choices.map((each) => (
        <option key={each} value={each}>
          {each === 'true' ? msg('on') : each === 'false' ? msg('off') : each}
        </option>
      ))}
    </select>
  );
}

/** Changes a setting: what it is to be, what that would have meant, and saving it. */
function Editor({ row, may }: { readonly row: SettingRow; readonly may: NonNullable<SettingRow['may']> }) {
  const { path, shown, source } = row;
  const draft = useSignal(shown);
  const value = readValue(draft.value, may);
  const isChanged = draft.value !== shown;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (value === undefined) return;
        void act(path, async () => {
          await changeSetting(path, value);
          return { done: 'begun', said: msg('Saved: it applies within some seconds.') };
        });
      }}
    >
      <Field row={row} draft={draft} />
      {isChanged && (
        <button type="submit" class="primary" disabled={busy.value || value === undefined}>
          {msg('Save')}
        </button>
      )}
      {isChanged && path.startsWith('detectors.') && (
        <button
          type="button"
          disabled={busy.value || value === undefined}
          onClick={() =>
            void act(path, async () => {
              const { days = 0, posts = 0, before = 0 } = await previewSetting(path, value ?? null);
              return {
                done: 'sample',
                said: msg('In the last {days} days: {posts} posts instead of {before}.', {
                  days: asNumber(days, 0),
                  posts: asNumber(posts, 0),
                  before: asNumber(before, 0),
                }),
              };
            })
          }
        >
          {busy.value ? msg('Counting…') : msg('What would it have meant?')}
        </button>
      )}
      {source === 'here' && !isChanged && (
        <button
          type="button"
          disabled={busy.value}
          onClick={() =>
            void act(path, async () => {
              await changeSetting(path, undefined);
              return { done: 'begun', said: msg('Taken back: it applies within some seconds.') };
            })
          }
        >
          {msg('Take back')}
        </button>
      )}
      {path === 'data.embedded.market' && isChanged && (
        <small>{msg('With another market, the alerts of this one are deleted. Subscriptions stay.')}</small>
      )}
      <Failure of={path} />
      <p class="done" role="status">
        {outcome.value?.of === path && outcome.value.said}
      </p>
    </form>
  );
}

/** Shows every setting with its value, its source and its meaning, and changes those that may be changed safely. */
export function Settings() {
  const { failure } = useAsked(readSettings, { interval: refreshInterval, last: rows });
  const sought = useSignal('');
  const all = rows.value;
  if (all === undefined) return <p class="empty waiting">{failure ?? msg('Asking…')}</p>;
  const words = sought.value.toLowerCase().split(/\s+/);
  const found = all.filter(({ path, meaning }) =>
    words.every((word) => `${path} ${meaning}`.toLowerCase().includes(word)),
  );
  const groups = Map.groupBy(found, ({ path }) =>
    path
      .split('.')
      .slice(0, path.startsWith('detectors.') ? 2 : 1)
      .join('.'),
  );
  return (
    <>
      <h2>{msg('Settings')}</h2>
      <label class="seek">
        <span>{msg('Find')}</span>
        <input
          type="search"
          value={sought.value}
          onInput={({ currentTarget }) => {
            sought.value = currentTarget.value;
          }}
        />
      </label>
      {[...groups].map(([group, settings]) => (
        <details key={`${group} ${sought.value !== ''}`} open={sought.value !== ''}>
          <summary>
            {group} <small>{settings.length}</small>
          </summary>
          <ul>
            {settings.map((row) => (
              <li key={`${row.path} ${row.shown}`}>
                <p>
                  <code>{row.path}</code> <small data-source={row.source}>{sourceWord[row.source]}</small>
                </p>
                {row.may !== undefined && (row.source === 'default' || row.source === 'here') ? (
                  <Editor row={row} may={row.may} />
                ) : (
                  <p class="value">{row.shown === '' ? '–' : row.shown}</p>
                )}
                {row.meaning !== '' && <p class="meaning">{row.meaning}</p>}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}
