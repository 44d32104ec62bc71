import { useEffect, useRef } from 'preact/hooks';
import { complete } from './api.ts';
import { run } from './chat.tsx';
import { createComposer } from './composer.ts';
import { room } from './room.ts';
import { msg } from './words.ts';

const id = 'palette';
export const openPalette = (): void => {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
};

/** A command line that opens from any view; its answer appears in the chat. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (form.current === null || input.current === null || list.current === null) return;
    createComposer({
      form: form.current,
      input: input.current,
      list: list.current,
      send(line) {
        dialog.current?.close();
        void run(line);
      },
      complete: (line) => complete(line, room),
    });
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      id={id}
      ref={dialog}
      aria-label={msg('Command')}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <form ref={form} autoComplete="off">
        <input
          ref={input}
          type="text"
          maxLength={500}
          aria-label={msg('Command')}
          placeholder={msg('Type a command: market, funding btc, subscribe, help')}
          spellcheck={false}
          autocapitalize="off"
          role="combobox"
          aria-expanded="false"
          aria-controls="palette-completions"
          aria-autocomplete="list"
        />
        <div
          ref={list}
          id="palette-completions"
          class="completions"
          role="listbox"
          aria-label={msg('Completions')}
          hidden
        />
      </form>
    </dialog>
  );
}
