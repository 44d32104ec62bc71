import { csvOf, type PageSheet } from './csv.ts';
import { msg } from './words.ts';

/** Gives the visitor a file. */
function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

export const SaveTable = ({ name, sheet }: { readonly name: string; readonly sheet: () => PageSheet }) => (
  <button
    type="button"
    class="save-table"
    title={msg('Save this table as CSV')}
    aria-label={msg('CSV: {table}', { table: name })}
    onClick={() =>
      saveFile(
        `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.csv`,
        new Blob([csvOf(sheet())], { type: 'text/csv;charset=utf-8' }),
      )
    }
  >
    CSV
  </button>
);
