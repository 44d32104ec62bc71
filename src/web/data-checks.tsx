import { signal } from '@preact/signals';
import type { DataCheckTable } from '../platforms/web/ports/data-check-table.ts';
import { readDataChecks } from './api.ts';
import { useAsked } from './asked.ts';
import { State, Table } from './health-table.tsx';
import { msg } from './words.ts';

const table = signal<DataCheckTable | null | undefined>(undefined);

/** Ms between two requests for the table; a round of checks takes place every ten minutes of market time. */
const refreshInterval = 60_000;

const sheetOf = ({ rows, failures }: DataCheckTable) => ({
  columns: [msg('Name'), msg('Result'), msg('other venues'), msg('Failures')],
  rows: [
    ...rows.map(({ name, said, others, failures }) => [name, said, others.join('; '), failures]),
    ...failures.map((line) => [line]),
  ],
});

/** Shows how often the exchange confirmed what is published here, and where it differed. */
export function DataChecks() {
  const { answer: found } = useAsked(readDataChecks, { interval: refreshInterval, last: table });
  if (found === undefined || found === null) return null;
  return (
    <Table name={msg('Checks against the exchange')} of="checks" sheet={() => sheetOf(found)}>
      {found.rows.map(({ name, said, others, failures }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td class="said">
            {said}
            {others.length > 0 && (
              <details>
                <summary>{msg('other venues')}</summary>
                {others.map((other) => (
                  <p key={other}>{other}</p>
                ))}
              </details>
            )}
          </td>
          {failures === undefined ? (
            <td class="state">{msg('not checked')}</td>
          ) : (
            <State
              good={failures === 0}
              text={
                failures === 0
                  ? msg('no failures')
                  : msg('{n, plural, one {# failure} other {# failures}}', { n: failures })
              }
            />
          )}
        </tr>
      ))}
      {found.failures.map((line) => (
        <tr key={line}>
          <td colSpan={3} class="failure">
            {line}
          </td>
        </tr>
      ))}
      {found.rows.length === 0 && (
        <tr>
          <td colSpan={3}>{msg('Nothing checked yet')}</td>
        </tr>
      )}
    </Table>
  );
}
