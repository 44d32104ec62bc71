import { useRef } from 'preact/hooks';
import { run } from './chat.tsx';
import { Composer } from './composer.tsx';
import { navigate } from './route.ts';
import { search } from './search.ts';
import { msg } from './words.ts';

const id = 'palette';
export const openPalette = (): void => {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
};

/** A command line that opens from any view and leads to views, markets and alerts; an answer appears in the chat. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      id={id}
      ref={dialog}
      aria-label={msg('Command')}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <Composer
        of="palette"
        search={search}
        open={(to) => {
          close();
          navigate(to);
        }}
        send={(line) => {
          close();
          void run(line);
        }}
      />
    </dialog>
  );
}
