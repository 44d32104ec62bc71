import { signal } from '@preact/signals';
import type { PageConnecting } from '../platforms/web/serve-connecting.ts';
import { act, busy, Failure } from './acts.tsx';
import { connectPlatform } from './api.ts';
import { optionsOf } from './fields.tsx';
import { msg } from './words.ts';

export const states = signal<readonly PageConnecting[] | undefined>(undefined);
/** The platform whose token is being replaced. */
export const changing = signal<string | undefined>(undefined);

export const replace = (state: PageConnecting): void => {
  states.value = states.value?.map((each) => (each.name === state.name ? state : each));
};

/** A secret that nobody guesses, for a platform whose secret the operator makes up. */
const madeUp = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

function OptionInput({
  option,
  secret,
  required,
  example = '',
}: Pick<PageConnecting['asks'][number], 'option' | 'secret' | 'required' | 'example'>) {
  const common = {
    id: `option-${option}`,
    name: option,
    required,
    maxLength: 2_000,
    spellcheck: false,
    autocomplete: 'off',
    placeholder: example,
  };
  return secret ? (
    <input type="password" {...common} defaultValue={option === 'secret' ? madeUp() : undefined} />
  ) : (
    <input type="text" {...common} />
  );
}

export function TokenForm({ state }: { readonly state: PageConnecting }) {
  const { name, asks, title } = state;
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = Object.fromEntries([...new FormData(form)].map(([key, value]) => [key, String(value)]));
    void act(name, async () => {
      replace(await connectPlatform(name, given));
      form.reset();
      changing.value = undefined;
      return undefined;
    });
  };
  return (
    <form onSubmit={submit} autocomplete="off">
      {asks.map(({ option, label, secret, required, choices, usual, example }) => (
        <label key={option} for={`option-${option}`}>
          <span>
            {label}
            {!required && ` (${msg('optional')})`}
          </span>
          {choices === undefined ? (
            <OptionInput {...{ option, secret, required }} example={example ?? usual} />
          ) : (
            <select id={`option-${option}`} name={option} defaultValue={usual}>
              {optionsOf(choices)}
            </select>
          )}
        </label>
      ))}
      <button type="submit" class="primary" aria-disabled={busy.value}>
        {busy.value ? msg('Asking {platform}…', { platform: title }) : msg('Connect')}
      </button>
      <Failure of={name} />
      <small>{msg('It is kept in a file that only this bot reads, and never shown again.')}</small>
    </form>
  );
}
