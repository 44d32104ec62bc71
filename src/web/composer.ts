import type { PageCompletion } from '../platforms/web/message.ts';
import { html } from './dom.ts';
import { createHistory } from './history.ts';

/**
 * The input line: Enter sends, arrows walk completions or history, Escape closes. Tab ends a word that is begun, or
 * takes what the arrows chose; where there is neither it goes on to the next element, as everywhere.
 */
export function createComposer({
  form,
  input,
  list,
  send,
  complete,
}: {
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly list: HTMLElement;
  readonly send: (line: string) => void;
  readonly complete: (line: string) => Promise<readonly PageCompletion[]>;
}): void {
  const history = createHistory();
  let suggestions: readonly PageCompletion[] = [];
  let chosen = -1;
  let asked = 0;

  const show = (next: readonly PageCompletion[], index: number) => {
    suggestions = next;
    chosen = index;
    const options = suggestions.map((suggestion, position) => {
      const selected = position === chosen;
      const option = html(
        'div',
        { id: `${list.id}-${position}`, role: 'option', 'aria-selected': String(selected) },
        html('span', {}, suggestion.label),
        html('small', {}, suggestion.description),
      );
      // Before the input loses its focus.
      option.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        take(suggestion);
      });
      return option;
    });
    list.replaceChildren(...options);
    list.hidden = suggestions.length === 0;
    input.setAttribute('aria-expanded', String(suggestions.length > 0));
    if (chosen < 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `${list.id}-${chosen}`);
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  };

  /** Answers still under way no longer count. */
  const close = () => {
    asked += 1;
    show([], -1);
  };

  const suggest = async () => {
    asked += 1;
    const question = asked;
    if (input.value === '') return close();
    // No completion is no reason to disturb whoever types.
    const answer = await complete(input.value).catch(() => []);
    if (question === asked) show(answer.slice(0, 8), -1);
  };

  const write = (line: string) => {
    input.value = line;
    input.setSelectionRange(line.length, line.length);
  };

  const take = (suggestion: PageCompletion | undefined) => {
    if (suggestion === undefined) return;
    // A whole word ends with a space, so that what may follow is offered; a key or a list goes on.
    write(/[=,\s]$/.test(suggestion.line) ? suggestion.line : `${suggestion.line} `);
    input.focus();
    void suggest();
  };

  const walk = (by: 1 | -1) => {
    if (suggestions.length > 0) {
      const next = chosen < 0 && by < 0 ? -1 : chosen + by;
      return show(suggestions, (next + suggestions.length) % suggestions.length);
    }
    const line = by < 0 ? history.back(input.value) : history.forward();
    if (line !== undefined) write(line);
  };

  const keys: Readonly<Record<string, () => void>> = {
    ArrowUp: () => walk(-1),
    ArrowDown: () => walk(1),
    Escape: close,
    Tab: () => take(suggestions[Math.max(0, chosen)]),
    Enter: () => take(suggestions[chosen]),
  };
  /** Keys that do something only sometimes; else the browser has them. */
  const ours: Readonly<Record<string, () => boolean>> = {
    Tab: () => suggestions.length > 0 && (chosen >= 0 || /\S$/.test(input.value)),
    Enter: () => chosen >= 0,
    // What else there is to close closes on the next.
    Escape: () => suggestions.length > 0,
  };

  input.addEventListener('input', () => void suggest());
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (act === undefined || event.isComposing || event.shiftKey) return;
    if (ours[event.key]?.() === false) return;
    event.preventDefault();
    act();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const line = input.value.trim();
    if (line === '') return;
    close();
    input.value = '';
    history.add(line);
    send(line);
  });
}
