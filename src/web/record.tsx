import { signal } from '@preact/signals';
import type { RecordCell, RecordRow, RecordTable } from '../platforms/web/ports/record-table.ts';
import { day } from '../runtime/lengths.ts';
import { readRecord } from './api.ts';
import { useAsked } from './asked.ts';
import { asNumber } from './numbers.ts';
import { SaveTable } from './save-table.tsx';
import { Scrolls } from './tile.tsx';
import { labelTitle, msg } from './words.ts';

const table = signal<RecordTable | undefined>(undefined);
/** Length of time after the alert for which the table is shown, ms. */
const horizon = signal(day);

/** Ms between two requests for the table, which is computed every few minutes. */
const refreshInterval = 30_000;

const cellsOf = ({ posted, replayed }: RecordRow) => (replayed ? [posted, replayed] : [posted]);

/** Returns the range of the scale that all rows share: a round number that no interval exceeds. */
function scaleLimit(rows: readonly RecordRow[]): number {
  const ends = rows.flatMap(cellsOf).flatMap(({ found }) => found?.edge.map(Math.abs) ?? []);
  const most = Math.max(0.1, ...ends);
  return [0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1].find((step) => most <= step) ?? 1;
}

const asPoints = (share: number): string => asNumber(share * 100, 0);
const percentOf = (share: number, reach: number): string => `${(50 + (share / reach) * 48).toFixed(2)}%`;

/** Draws the estimate as a dot, its interval as a line, and the smallest detectable difference as a band. */
function Interval({ cell, reach }: { readonly cell: RecordCell; readonly reach: number }) {
  const { found } = cell;
  if (found === undefined) return <p class="not-enough">{cell.said}</p>;
  const at = (share: number) => percentOf(Math.max(-reach, Math.min(reach, share)), reach);
  const { difference, edge, shows, says } = found;
  const [low, high] = edge;
  return (
    <svg class={`interval ${says}`} role="img" aria-label={cell.said}>
      <title>{cell.said}</title>
      <rect
        class="power"
        x={at(-shows)}
        width={`${((Math.min(reach, shows) / reach) * 96).toFixed(2)}%`}
        y="0"
        height="100%"
      />
      <line class="zero" x1="50%" x2="50%" y1="0" y2="100%" />
      <line class="edge" x1={at(low)} x2={at(high)} y1="50%" y2="50%" />
      <line class="edge" x1={at(low)} x2={at(low)} y1="30%" y2="70%" />
      <line class="edge" x1={at(high)} x2={at(high)} y1="30%" y2="70%" />
      <circle cx={at(difference)} cy="50%" r="5" />
    </svg>
  );
}

/** Shows what followed the alerts of a kind that were posted, or those that were replayed. */
function Lane({
  row,
  of,
  reach,
}: {
  readonly row: RecordRow;
  readonly of: 'posted' | 'replayed';
  readonly reach: number;
}) {
  const cell = row[of];
  if (cell === undefined) return null;
  const { n, found } = cell;
  const recent = of === 'posted' ? row.recent : undefined;
  return (
    <tr class={of} data-found={found && ''}>
      <th scope="row">
        {recent && labelTitle(row.kind)} <small>{of === 'posted' ? msg('posted') : msg('replayed')}</small>
        {recent && <small class="about">{row.about}</small>}
      </th>
      <td class="number">{n}</td>
      <td class="lane">
        <Interval cell={cell} reach={reach} />
      </td>
      <td class="number edge-text">{found?.edgeText}</td>
      <td class="number">{found?.hitsText}</td>
      <td class="number">{found && `±${found.showsText}`}</td>
      <td class={recent?.found ? 'number' : 'not-enough'}>
        {recent?.found ? msg('{edge} of {n}', { edge: recent.found.edgeText, n: recent.n }) : recent?.said}
      </td>
    </tr>
  );
}

function Forest({ rows }: { readonly rows: readonly RecordRow[] }) {
  const reach = scaleLimit(rows);
  const ticks = [-reach, -reach / 2, 0, reach / 2, reach];
  return (
    <table class="forest">
      <thead>
        <tr>
          <th scope="col">{msg('Kind')}</th>
          <th scope="col" class="number">
            {msg('Alerts')}
          </th>
          <th scope="col" class="lane">
            <span>{msg('Hits vs. usual, percentage points')}</span>
            <svg class="ticks" aria-hidden="true">
              {ticks.map((tick) => (
                <text key={tick} x={percentOf(tick, reach)} y="11" text-anchor="middle">
                  {tick > 0 ? `+${asPoints(tick)}` : asPoints(tick)}
                </text>
              ))}
            </svg>
          </th>
          {[
            msg('Difference'),
            msg('Hits (usual)'),
            msg('Would show'),
            msg('Last {days} days', { days: '90' }),
          ].map((name) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {rows.map((row) => (
        <tbody key={row.kind}>
          <Lane row={row} of="posted" reach={reach} />
          <Lane row={row} of="replayed" reach={reach} />
        </tbody>
      ))}
    </table>
  );
}

const inPercent = (share: number | undefined) => (share === undefined ? undefined : share * 100);

/** The figures of every length of time, a line for what was posted and one for what was replayed. */
const sheetOf = (rows: readonly RecordRow[]) => ({
  columns: [
    msg('Kind'),
    msg('How long after the alert'),
    msg('Origin'),
    msg('Alerts'),
    `${msg('Difference')} (%)`,
    `${msg('From')} (%)`,
    `${msg('To')} (%)`,
    `${msg('Would show')} (%)`,
  ],
  rows: rows.flatMap(({ kind, after, posted, replayed }) =>
    [[msg('posted'), posted] as const, [msg('replayed'), replayed] as const].flatMap(([name, cell]) =>
      cell === undefined
        ? []
        : [
            [
              labelTitle(kind),
              after,
              name,
              cell.n,
              ...[
                cell.found?.difference,
                ...(cell.found?.edge ?? [undefined, undefined]),
                cell.found?.shows,
              ].map(inPercent),
            ],
          ],
    ),
  ),
});

/** Shows by kind what the price did after posted alerts, as an estimate with its interval. */
export function Record() {
  const { answer: found, failure } = useAsked(readRecord, { interval: refreshInterval, last: table });
  if (found === undefined) return <p class="empty waiting">{failure ?? msg('Asking…')}</p>;
  const lengths = [...new Map(found.rows.map((row) => [row.horizon, row.after]))];
  const rows = found.rows.filter((row) => row.horizon === horizon.value);
  /** First by how many results there are, then by how many alerts. */
  const rankOf = (row: RecordRow) =>
    cellsOf(row).reduce((sum, { n, found }) => sum + n + (found ? 1e9 : 0), 0);
  const ordered = rows.toSorted((a, b) => rankOf(b) - rankOf(a));
  return (
    <Scrolls name={msg('Record')}>
      <section class="tile record">
        <header>
          <h2>{msg('What the price did after alerts')}</h2>
          <SaveTable name={msg('Record')} sheet={() => sheetOf(found.rows)} />
          <fieldset>
            <legend class="hidden">{msg('How long after the alert')}</legend>
            {lengths.map(([ms, after]) => (
              <label key={ms}>
                <input
                  type="radio"
                  name="horizon"
                  checked={ms === horizon.value}
                  onChange={() => (horizon.value = ms)}
                />
                <span>{msg('after {time}', { time: after })}</span>
              </label>
            ))}
          </fieldset>
        </header>
        {rows.length === 0 ? (
          <p class="empty">
            {msg('No alert watched here makes a claim about the price, so there is nothing to score.')}
          </p>
        ) : (
          <Forest rows={ordered} />
        )}
        <ul class="legend-of-record row">
          <li class="posted">{msg('posted alerts')}</li>
          <li class="replayed">{msg('replayed: never sent, counted apart')}</li>
          <li class="power">{msg('differences this small may not show')}</li>
        </ul>
        <details>
          <summary>{msg('How this is counted')}</summary>
          {found.method.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </details>
      </section>
    </Scrolls>
  );
}
