import type { Signal } from '@preact/signals';

interface Typing {
  readonly currentTarget: { readonly value: string };
}

/** Returns the properties of a field or a choice whose value is kept in a signal. */
export const keptIn = (text: Signal<string>) => ({
  value: text.value,
  onInput({ currentTarget }: Typing) {
    text.value = currentTarget.value;
  },
});

/** @param words how a value is written; absent: as it is */
export const optionsOf = (values: readonly string[], words: (value: string) => string = (value) => value) =>
  values.map((value) => (
    <option key={value} value={value}>
      {words(value)}
    </option>
  ));
