import type { ComponentChildren } from 'preact';

/** One part of the view of health. */
export const Table = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) => (
  <section class="tile" aria-label={name}>
    <header>
      <h2>{name}</h2>
    </header>
    <table>
      <tbody>{children}</tbody>
    </table>
  </section>
);

export const State = ({ good, text }: { readonly good: boolean; readonly text: string }) => (
  <td class={good ? 'state good' : 'state bad'}>{text}</td>
);
