import { signal, useSignal } from '@preact/signals';
import type { Scope } from '../platforms/web/ports/api.ts';
import type { DestinationRow } from '../platforms/web/ports/destinations.ts';
import type { KeyRow } from '../platforms/web/ports/key-desk.ts';
import { Act, act, busy, Failure } from './acts.tsx';
import { createKey, readDestinations, readKeys, revokeKey } from './api.ts';
import { useAsked } from './asked.ts';
import { places } from './destinations.tsx';
import { Facts } from './facts.tsx';
import { keptIn } from './fields.tsx';
import { asNumber } from './numbers.ts';
import { momentOf } from './time.ts';
import { msg } from './words.ts';

/** What a key may do, by name: the list of the server would bring its schemas into the page. */
const scopes = ['read', 'ask', 'manage'] as const satisfies readonly Scope[];

const keys = signal<readonly KeyRow[] | undefined>(undefined);
/** The text of the key that was created last: no later answer has it. */
const created = signal<string | undefined>(undefined);

/** Ms between two requests. */
const refreshInterval = 10_000;
/** What a failure of the form is kept under. */
const form = 'key';

const scopeWord: Readonly<Record<Scope, string>> = {
  read: msg('read'),
  ask: msg('ask'),
  manage: msg('change settings'),
};

const pageRoom: DestinationRow['receiver'] = { notifier: 'web', address: { room: 'main' } };

function NewKey() {
  const name = useSignal('');
  const chosen = useSignal<ReadonlySet<Scope>>(new Set(['read', 'ask']));
  const place = useSignal(JSON.stringify(pageRoom));
  return (
    <form
      class="new-key row"
      onSubmit={(event) => {
        event.preventDefault();
        void act(form, async () => {
          const { key } = await createKey({
            name: name.value.trim(),
            scopes: scopes.filter((each) => chosen.value.has(each)),
            receiver: JSON.parse(place.value),
          });
          created.value = key;
          name.value = '';
          keys.value = await readKeys();
          return undefined;
        });
      }}
    >
      <label>
        {msg('Name')}
        <input {...keptIn(name)} maxLength={80} spellcheck={false} />
      </label>
      <label>
        {msg('For')}
        <select {...keptIn(place)}>
          <option value={JSON.stringify(pageRoom)}>{msg('The page’s chat')}</option>
          {places.value
            ?.filter(({ receiver }) => JSON.stringify(receiver) !== JSON.stringify(pageRoom))
            .map(({ receiver, name: of }) => (
              <option key={of} value={JSON.stringify(receiver)}>
                {of}
              </option>
            ))}
        </select>
      </label>
      <fieldset>
        <legend>{msg('It may')}</legend>
        {scopes.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.value.has(scope)}
              onChange={({ currentTarget }) => {
                const next = new Set(chosen.value);
                if (currentTarget.checked) next.add(scope);
                else next.delete(scope);
                chosen.value = next;
              }}
            />
            {scopeWord[scope]}
          </label>
        ))}
      </fieldset>
      <button type="submit" disabled={chosen.value.size === 0} aria-disabled={busy.value}>
        {msg('Create a key')}
      </button>
    </form>
  );
}

/** Shows the keys by which programs ask the HTTP API, and lets an operator create and revoke them. */
export function KeyList() {
  const { answer: all, failure } = useAsked(readKeys, { interval: refreshInterval, last: keys });
  useAsked(readDestinations, { interval: refreshInterval, last: places });
  if (all === undefined) return <p class="empty waiting">{failure ?? msg('Asking…')}</p>;
  return (
    <>
      <h2>{msg('API keys')}</h2>
      <p class="about">
        {msg('A program asks by a key, for one place, and may do there what the key says.')}
      </p>
      <NewKey />
      <Failure of={form} />
      {created.value !== undefined && (
        <p class="done row" role="status">
          {msg('It is shown only now: keep it where no one else can read it.')} <code>{created.value}</code>
        </p>
      )}
      <ul class="places">
        {all.map(({ id, name, scopes: may, place, createdAt, requests, usedAt }) => (
          <li key={id} class="box">
            <h3>{name || id}</h3>
            <p class="gets">{[place, ...may.map((each) => scopeWord[each as Scope] ?? each)].join(' · ')}</p>
            <Facts
              of="figures"
              facts={[
                { name: msg('Created'), value: momentOf(createdAt) },
                { name: msg('Last used'), value: usedAt === null ? msg('never') : momentOf(usedAt) },
                { name: msg('Requests'), value: asNumber(requests, 0) },
              ]}
            />
            <p class="orders row">
              <Act
                of={id}
                aria-label={msg('Revoke {name}', { name: name || id })}
                work={async () => {
                  await revokeKey(id);
                  keys.value = await readKeys();
                  return undefined;
                }}
              >
                {msg('Revoke')}
              </Act>
            </p>
            <Failure of={id} />
          </li>
        ))}
      </ul>
    </>
  );
}
