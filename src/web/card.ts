import { h, render } from 'preact';
import type { Severity } from '../alert/alert.ts';
import type { CardJson } from '../card/render-json.ts';
import { html } from './dom.ts';
import { Figure } from './figure.tsx';
import { chartReaderIn } from './said.ts';
import { time } from './time.ts';
import { title as labelTitle, msg } from './words.ts';

/**
 * Values that read as numbers are aligned to the right, on one line: `$1.23M`, `1,23 mil M $`, `12.3亿`, `+0.01% per 8
 * h`.
 */
const numeric = /^[−+-]?[$€]?[\d.,\s]+(?:[\p{L}%×$€\s]{0,7}|%.{0,16})$/u;

/** In letters. A fact that is longer, or has several lines, gets its own row. */
const longFact = 60;
/** In letters. A column whose cells are all at most this long is not broken into lines. */
const shortCell = 16;

/** Renders a card as an element. `run` is called with the command of an action when its button is pressed. */
export function renderCard(card: CardJson, run: (command: string) => void): HTMLElement {
  const { title, summary, severity, status, facts = [], table, chart, file, actions = [], timeZone } = card;
  const element = html('article', { class: 'card', 'data-severity': severity, 'data-status': status });
  if (severity !== undefined || status !== undefined) element.append(badges(severity, status));
  element.append(html('h3', {}, title));
  if (summary !== undefined && summary !== '') element.append(html('p', { class: 'summary' }, summary));
  if (facts.length > 0) {
    const entries = facts.map(({ name, value }) =>
      html(
        'div',
        { class: value.length > longFact || value.includes('\n') ? 'long' : undefined },
        ...[html('dt', {}, name), html('dd', {}, value)],
      ),
    );
    element.append(html('dl', { class: 'facts' }, ...entries));
  }
  if (chart?.series.some(({ points }) => points.length > 0)) {
    const place = html('div');
    render(h(Figure, { chart, reader: chartReaderIn(timeZone) }), place);
    element.append(place);
  }
  if (table !== undefined && table.rows.length > 0) element.append(renderTable(table));
  if (file !== undefined) {
    const href = `data:text/plain;charset=utf-8,${encodeURIComponent(file.text)}`;
    element.append(html('p', {}, html('a', { href, download: file.name }, file.name)));
  }
  if (actions.length > 0) {
    const buttons = actions.map(({ label, command }) => {
      const button = html('button', { type: 'button', title: command }, label);
      button.addEventListener('click', () => run(command));
      return button;
    });
    element.append(html('div', { class: 'actions' }, ...buttons));
  }
  const { dataTime, source } = card;
  if (dataTime !== undefined || source !== undefined) {
    const footer = html('footer');
    if (source !== undefined) footer.append(html('span', { class: 'source' }, source));
    if (dataTime !== undefined)
      footer.append(html('span', {}, ...around(msg('as of {time}'), time(Date.parse(dataTime), timeZone))));
    element.append(footer);
  }
  return element;
}

/** Splits a text at `{time}` and puts the element there. */
function around(text: string, time: HTMLElement): (string | HTMLElement)[] {
  const [before = '', after = ''] = text.split('{time}');
  return [before, time, after];
}

function badges(severity: Severity | undefined, status: CardJson['status']): HTMLElement {
  const row = html('div', { class: 'badges' });
  if (severity !== undefined) {
    row.append(html('span', { class: 'badge severity' }, labelTitle(severity)));
  }
  if (status !== undefined) row.append(html('span', { class: 'badge status' }, labelTitle(status)));
  return row;
}

function renderTable({ columns, rows }: NonNullable<CardJson['table']>): HTMLElement {
  const right = columns.map((_, index) =>
    rows.every((row) => numeric.test((row[index] ?? '').trim() || '0')),
  );
  const short = columns.map((_, index) => rows.every((row) => (row[index] ?? '').length <= shortCell));
  const align = (index: number) => (right[index] ? 'number' : short[index] ? 'short' : undefined);
  const head = columns.map((column, index) => html('th', { scope: 'col', class: align(index) }, column));
  const body = rows.map((row) =>
    row.length > 1 && row.slice(1).every((cell) => cell === '')
      ? html('tr', {}, html('th', { scope: 'colgroup', colspan: columns.length }, row[0] ?? ''))
      : html('tr', {}, ...row.map((cell, index) => html('td', { class: align(index) }, cell))),
  );
  return html(
    'div',
    { class: 'table', tabindex: 0, role: 'region', 'aria-label': columns.join(', ') },
    html('table', {}, html('thead', {}, html('tr', {}, ...head)), html('tbody', {}, ...body)),
  );
}
