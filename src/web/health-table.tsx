import type { ComponentChildren } from 'preact';
import type { PageSheet } from './csv.ts';
import { SaveTable } from './save-table.tsx';

/** Shows one table of the health view. */
export const Table = ({
  name,
  of = '',
  sheet,
  children,
}: {
  readonly name: string;
  /** CSS class of the table if it has a style of its own. */
  readonly of?: string;
  readonly sheet: () => PageSheet;
  readonly children: ComponentChildren;
}) => (
  <section class={`tile ${of}`} aria-label={name}>
    <header>
      <h2>{name}</h2>
      <SaveTable name={name} sheet={sheet} />
    </header>
    <table>
      <tbody>{children}</tbody>
    </table>
  </section>
);

export const State = ({ good, text }: { readonly good: boolean; readonly text: string }) => (
  <td class={good ? 'state good' : 'state bad'}>{text}</td>
);
