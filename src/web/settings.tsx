import { type Signal, signal, useSignal } from '@preact/signals';
import type { SettingRow, SettingValue } from '../platforms/web/ports/settings-desk.ts';
import { Act, act, busy, Result } from './acts.tsx';
import { changeSetting, previewSetting, readSettings, takeBackSetting } from './api.ts';
import { useAsked } from './asked.ts';
import { keptIn, optionsOf } from './fields.tsx';
import { asNumber } from './numbers.ts';
import { msg } from './words.ts';

export const settings = signal<readonly SettingRow[] | undefined>(undefined);

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

function Field({ row, draft }: { readonly row: SettingRow; readonly draft: Signal<string> }) {
  const { path, may } = row;
  const choices = may?.kind === 'boolean' ? ['true', 'false'] : may?.choices;
  return choices === undefined ? (
    <input aria-label={path} {...keptIn(draft)} maxLength={500} spellcheck={false} />
  ) : (
    <select aria-label={path} {...keptIn(draft)}>
      {optionsOf(choices, (each) => (each === 'true' ? msg('on') : each === 'false' ? msg('off') : each))}
    </select>
  );
}

/** Changes a setting: what it is to be, what that would have meant, and saving it. */
function Editor({ row, may }: { readonly row: SettingRow; readonly may: NonNullable<SettingRow['may']> }) {
  const { path, shown, source } = row;
  const draft = useSignal(shown);
  const value = readValue(draft.value, may);
  const isChanged = draft.value !== shown;
  const count = async (wanted: SettingValue) => {
    const { days = 0, posts = 0, before = 0 } = await previewSetting(path, wanted);
    return {
      said: msg('In the last {days} days: {posts} posts instead of {before}.', {
        days: asNumber(days, 0),
        posts: asNumber(posts, 0),
        before: asNumber(before, 0),
      }),
    };
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (value === undefined) return;
        void act(path, async () => {
          await changeSetting(path, value);
          return { said: msg('Saved: it applies within some seconds.') };
        });
      }}
    >
      <Field row={row} draft={draft} />
      {isChanged && (
        <button type="submit" class="primary" disabled={value === undefined} aria-disabled={busy.value}>
          {msg('Save')}
        </button>
      )}
      {isChanged && path.startsWith('detectors.') && (
        <Act of={path} disabled={value === undefined} work={() => count(value ?? null)}>
          {busy.value ? msg('Counting…') : msg('What would it have meant?')}
        </Act>
      )}
      {source === 'here' && !isChanged && (
        <Act
          of={path}
          work={async () => {
            await takeBackSetting(path);
            return { said: msg('Taken back: it applies within some seconds.') };
          }}
        >
          {msg('Take back')}
        </Act>
      )}
      {path === 'data.embedded.market' && isChanged && (
        <small>{msg('With another market, the alerts of this one are deleted. Subscriptions stay.')}</small>
      )}
      <Result of={path} />
    </form>
  );
}

/** Shows every setting with its value, its source and its meaning, and changes those that may be changed safely. */
export function Settings() {
  const { answer: all, failure } = useAsked(readSettings, { interval: refreshInterval, last: settings });
  const sought = useSignal('');
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
        <input type="search" {...keptIn(sought)} />
      </label>
      {[...groups].map(([group, rows]) => (
        <details class="box" key={`${group} ${sought.value !== ''}`} open={sought.value !== ''}>
          <summary>
            {group} <small>{rows.length}</small>
          </summary>
          <ul>
            {rows.map((row) => (
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
