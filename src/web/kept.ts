import { effect, type Signal, signal } from '@preact/signals';

/** Returns a text that this browser keeps, and that all of its tabs see; empty: there is none. */
export function kept(name: string): Signal<string> {
  const text = signal(localStorage.getItem(name) ?? '');
  addEventListener('storage', ({ key, newValue }) => {
    if (key === name) text.value = newValue ?? '';
  });
  effect(() => {
    if (text.value === '') localStorage.removeItem(name);
    else localStorage.setItem(name, text.value);
  });
  return text;
}
