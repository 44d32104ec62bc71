import type { CardJson } from '../card/render-json.ts';
import { Facts } from './facts.tsx';
import { Figure } from './figure.tsx';
import { chartReaderIn } from './said.ts';
import { SaveTable } from './save-table.tsx';
import { clockTime, exactTime, foreignZone } from './time.ts';
import { labelTitle, msg } from './words.ts';

/**
 * Values that read as numbers are aligned to the right, on one line: `$1.23M`, `1,23 mil M $`, `12.3亿`, `+0.01% per 8
 * h`.
 */
const numeric = /^[−+-]?[$€]?[\d.,\s]+(?:[\p{L}%×$€\s]{0,7}|%.{0,16})$/u;

/** In letters. A column whose cells are all at most this long is not broken into lines. */
const shortCell = 16;

/** Shows a card. `run` is called with the command of an action when its button is pressed. */
export function Card({ card, run }: { readonly card: CardJson; readonly run: (command: string) => void }) {
  const {
    title,
    summary = '',
    severity,
    status,
    facts = [],
    table,
    sheet,
    chart,
    file,
    links = [],
    actions = [],
  } = card;
  const { dataTime, source, timeZone } = card;
  return (
    <article class="card" data-severity={severity} data-status={status}>
      {(severity ?? status) !== undefined && (
        <div class="badges">
          {severity !== undefined && <span class="badge severity">{labelTitle(severity)}</span>}
          {status !== undefined && <span class="badge status">{labelTitle(status)}</span>}
        </div>
      )}
      <h3>{title}</h3>
      {summary !== '' && <p class="summary">{summary}</p>}
      <Facts facts={facts} of="facts" />
      {chart?.series.some(({ points }) => points.length > 0) && (
        <Figure chart={chart} reader={chartReaderIn(timeZone)} />
      )}
      {table !== undefined && table.rows.length > 0 && <Table {...table} />}
      {sheet !== undefined && sheet.rows.length > 0 && <SaveTable name={title} sheet={() => sheet} />}
      {file !== undefined && (
        <p>
          <a href={`data:text/plain;charset=utf-8,${encodeURIComponent(file.text)}`} download={file.name}>
            {file.name}
          </a>
        </p>
      )}
      {links.length > 0 && <Links links={links} />}
      {actions.length > 0 && (
        <div class="actions row">
          {actions.map(({ label, command }) => (
            <button key={command} type="button" title={command} onClick={() => run(command)}>
              {label}
            </button>
          ))}
        </div>
      )}
      {(dataTime ?? source) !== undefined && (
        <footer class="row">
          {source !== undefined && <span class="source">{source}</span>}
          {dataTime !== undefined && <AsOf at={Date.parse(dataTime)} zone={timeZone} />}
        </footer>
      )}
    </article>
  );
}

export const Links = ({ links }: { readonly links: NonNullable<CardJson['links']> }) => (
  <p class="links">
    {links.map(({ label, url }, index) => (
      <span key={url}>
        {index > 0 && ' · '}
        <a href={url} target="_blank" rel="noreferrer">
          {label}
        </a>
      </span>
    ))}
  </p>
);

function AsOf(given: Parameters<typeof Time>[0]) {
  const [before, after] = msg('as of {time}').split('{time}');
  return (
    <span>
      {before}
      <Time {...given} />
      {after}
    </span>
  );
}

/** Shows a time with the date unless it is today. Its tooltip is exact and names the zone. */
export function Time({ at, zone }: { readonly at: number; readonly zone: string | undefined }) {
  if (Number.isNaN(at)) return <time>—</time>;
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at, zone)}>
      {`${clockTime(at, { now: Date.now(), zone })} ${foreignZone(at, zone)}`.trim()}
    </time>
  );
}

function Table({ columns, rows }: NonNullable<CardJson['table']>) {
  const right = columns.map((_, index) =>
    rows.every((row) => numeric.test((row[index] ?? '').trim() || '0')),
  );
  const short = columns.map((_, index) => rows.every((row) => (row[index] ?? '').length <= shortCell));
  const align = (index: number) => (right[index] ? 'number' : short[index] ? 'short' : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls with the keyboard as well
    <section class="table" tabIndex={0} aria-label={columns.join(', ')}>
      <table>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={column} scope="col" class={align(index)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.length > 1 && row.slice(1).every((cell) => cell === '') ? (
                <th scope="colgroup" colSpan={columns.length}>
                  {row[0]}
                </th>
              ) : (
                row.map((cell, index) => (
                  <td key={index} class={align(index)}>
                    {cell}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
