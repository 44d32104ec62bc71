import { useRef } from 'preact/hooks';
import { run } from './chat.tsx';
import { Composer } from './composer.tsx';
import { msg } from './words.ts';

const id = 'palette';
export const openPalette = (): void => {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
};

/** A command line that opens from any view; its answer appears in the chat. */
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
        send={(line) => {
          close();
          void run(line);
        }}
      />
    </dialog>
  );
}
