import type { ComponentChildren } from 'preact';
import type { Figure } from '../platforms/web/ports/board.ts';
import { isOld, marketNow, piece } from './model.ts';
import { clockTime } from './time.ts';
import { msg } from './words.ts';

/** Shows a part of a view with its name and the time of its data; marks it if the data is old. */
export function Tile({
  name,
  figure,
  note,
  children,
}: {
  readonly name: string;
  /** The kind of figures whose age is the age of this tile. */
  readonly figure?: Figure;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const seen = figure === undefined ? undefined : piece('seen').value?.[figure];
  const old = figure !== undefined && isOld(figure);
  return (
    <section class={old ? 'tile old' : 'tile'}>
      <header>
        <h2>{name}</h2>
        {note}
        {seen !== undefined && (
          <span class="as-of">
            {msg('as of {time}', { time: clockTime(seen.at, { now: marketNow.value }) })}
          </span>
        )}
      </header>
      {children}
    </section>
  );
}

/** A section that scrolls on its own, with the keyboard too. */
export const Scrolls = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll only what has the focus
  <section class="scrolls" tabIndex={0} aria-label={name}>
    {children}
  </section>
);
