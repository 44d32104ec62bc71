import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PageCompletion } from '../platforms/web/message.ts';
import { complete } from './api.ts';
import { createHistory } from './history.ts';
import { msg } from './words.ts';

const ids = {
  chat: { form: 'composer', input: 'line', list: 'completions' },
  palette: { form: 'palette-composer', input: 'palette-line', list: 'palette-completions' },
} as const;

/** A place of the page that is offered beside completions. */
export interface PageLink {
  readonly label: string;
  readonly description: string;
  readonly to: string;
}
type Offered = PageCompletion | PageLink;

/** What is offered, and which of it the arrows have chosen; −1: none. */
interface Offer {
  readonly completions: readonly Offered[];
  readonly chosen: number;
}
const nothing: Offer = { completions: [], chosen: -1 };

/**
 * A command line: Enter sends, arrows move through completions or history, Escape closes the list or leaves the empty line. Tab
 * completes the word that was begun, or takes the completion chosen with the arrows; otherwise it moves to the next
 * element, as usual.
 */
export function Composer({
  of,
  send,
  search = () => [],
  open = () => {},
  children,
}: {
  readonly of: keyof typeof ids;
  readonly send: (line: string) => void;
  /** Finds places of the page by what is typed. */
  readonly search?: (text: string) => readonly PageLink[];
  readonly open?: (to: string) => void;
  readonly children?: ComponentChildren;
}) {
  const id = ids[of];
  const field = useRef<HTMLInputElement>(null);
  const history = useMemo(() => createHistory(), []);
  const latestQuestion = useRef(0);
  const offer = useSignal(nothing);
  const { completions, chosen } = offer.value;

  /** Closes the list. Responses that are still on their way are ignored. */
  const close = () => {
    latestQuestion.current += 1;
    offer.value = nothing;
  };

  const suggest = async (line: string) => {
    latestQuestion.current += 1;
    const question = latestQuestion.current;
    if (line === '') return close();
    const found = search(line);
    offer.value = { completions: found, chosen: -1 };
    // A failed completion must not disturb the user.
    const answer = await complete(line).catch(() => []);
    // What was found before stays first, and chosen if it was.
    if (question === latestQuestion.current)
      offer.value = { ...offer.value, completions: [...found, ...answer.slice(0, 8)] };
  };

  const write = (input: HTMLInputElement, line: string) => {
    input.value = line;
    input.setSelectionRange(line.length, line.length);
  };

  const accept = (completion: Offered | undefined) => {
    const input = field.current;
    if (completion === undefined || input === null) return;
    if ('to' in completion) {
      close();
      input.value = '';
      return open(completion.to);
    }
    // A space is added after a complete word, so that what may follow is offered; after `=` or `,` the word continues.
    write(input, /[=,\s]$/.test(completion.line) ? completion.line : `${completion.line} `);
    input.focus();
    void suggest(input.value);
  };

  const move = (input: HTMLInputElement, by: 1 | -1) => {
    const { length } = completions;
    if (length > 0) {
      const next = chosen < 0 && by < 0 ? -1 : chosen + by;
      offer.value = { completions, chosen: (next + length) % length };
      return;
    }
    const line = by < 0 ? history.back(input.value) : history.forward();
    if (line !== undefined) write(input, line);
  };

  /** Returns what a key does here; undefined: the browser handles it. */
  const actionOf = (key: string, input: HTMLInputElement): (() => void) | undefined => {
    const isOpen = completions.length > 0;
    if (key === 'ArrowUp' || key === 'ArrowDown') return () => move(input, key === 'ArrowUp' ? -1 : 1);
    if (key === 'Tab' && isOpen && (chosen >= 0 || /\S$/.test(input.value)))
      return () => accept(completions[Math.max(0, chosen)]);
    if (key === 'Enter' && chosen >= 0) return () => accept(completions[chosen]);
    // The next Escape closes the dialog that it is in or leaves the chat’s empty field: outside it digits choose a view.
    if (key === 'Escape' && isOpen) return close;
    if (key === 'Escape' && input.value === '' && of === 'chat') return () => input.blur();
    return undefined;
  };

  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }) => {
    if (event.isComposing || event.shiftKey) return;
    const act = actionOf(event.key, event.currentTarget);
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  const onSubmit = (event: Event) => {
    event.preventDefault();
    const line = field.current?.value.trim() ?? '';
    if (field.current === null || line === '') return;
    close();
    field.current.value = '';
    history.add(line);
    send(line);
  };

  return (
    <form id={id.form} autoComplete="off" onSubmit={onSubmit}>
      <input
        id={id.input}
        ref={field}
        type="text"
        maxLength={4_000}
        aria-label={msg('Command')}
        placeholder={msg('Type a command: market, funding btc, subscribe, help')}
        spellcheck={false}
        autocapitalize="off"
        enterkeyhint="send"
        role="combobox"
        aria-expanded={completions.length > 0}
        aria-controls={id.list}
        aria-autocomplete="list"
        aria-activedescendant={chosen < 0 ? undefined : `${id.list}-${chosen}`}
        onInput={({ currentTarget }) => void suggest(currentTarget.value)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      {children}
      <List id={id.list} offer={offer.value} accept={accept} />
    </form>
  );
}

function List({
  id,
  offer: { completions, chosen },
  accept,
}: {
  readonly id: string;
  readonly offer: Offer;
  readonly accept: (completion: Offered) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' }), [chosen]);
  return (
    <div id={id} ref={list} role="listbox" aria-label={msg('Completions')} hidden={completions.length === 0}>
      {completions.map((each, index) => (
        <div
          key={'to' in each ? each.to : each.line}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          // pointerdown comes before the input loses its focus.
          onPointerDown={(event) => {
            event.preventDefault();
            accept(each);
          }}
        >
          <span>{each.label}</span>
          <small>{each.description}</small>
        </div>
      ))}
    </div>
  );
}
