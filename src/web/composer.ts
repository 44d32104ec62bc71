import type { PageCompletion } from '../platforms/web/message.ts';
import { html } from './dom.ts';
import { createHistory } from './history.ts';

/**
 * Sets up the input line: Enter sends, arrows move through completions or history, Escape closes the list or leaves the empty line. Tab
 * completes the word that was begun, or takes the completion chosen with the arrows; otherwise it moves to the next
 * element, as usual.
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
  let latestQuestion = 0;

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
      // pointerdown comes before the input loses its focus.
      option.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        accept(suggestion);
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

  /** Closes the list. Responses that are still on their way are ignored. */
  const close = () => {
    latestQuestion += 1;
    show([], -1);
  };

  const suggest = async () => {
    latestQuestion += 1;
    const question = latestQuestion;
    if (input.value === '') return close();
    // A failed completion must not disturb the user.
    const answer = await complete(input.value).catch(() => []);
    if (question === latestQuestion) show(answer.slice(0, 8), -1);
  };

  const write = (line: string) => {
    input.value = line;
    input.setSelectionRange(line.length, line.length);
  };

  const accept = (suggestion: PageCompletion | undefined) => {
    if (suggestion === undefined) return;
    // A space is added after a complete word, so that what may follow is offered; after `=` or `,` the word continues.
    write(/[=,\s]$/.test(suggestion.line) ? suggestion.line : `${suggestion.line} `);
    input.focus();
    void suggest();
  };

  const move = (by: 1 | -1) => {
    if (suggestions.length > 0) {
      const next = chosen < 0 && by < 0 ? -1 : chosen + by;
      return show(suggestions, (next + suggestions.length) % suggestions.length);
    }
    const line = by < 0 ? history.back(input.value) : history.forward();
    if (line !== undefined) write(line);
  };

  const keys: Readonly<Record<string, () => void>> = {
    ArrowUp: () => move(-1),
    ArrowDown: () => move(1),
    Escape: () => (suggestions.length > 0 ? close() : input.blur()),
    Tab: () => accept(suggestions[Math.max(0, chosen)]),
    Enter: () => accept(suggestions[chosen]),
  };
  /** Whether a key does something here; otherwise the browser handles it. */
  const isHandled: Readonly<Record<string, () => boolean>> = {
    Tab: () => suggestions.length > 0 && (chosen >= 0 || /\S$/.test(input.value)),
    Enter: () => chosen >= 0,
    // The next Escape closes the dialog that it is in or leaves the chat’s empty field: outside it digits choose a view.
    Escape: () => suggestions.length > 0 || (input.value === '' && input.closest('dialog') === null),
  };

  input.addEventListener('input', () => void suggest());
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (act === undefined || event.isComposing || event.shiftKey) return;
    if (isHandled[event.key]?.() === false) return;
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
