import type { Severity } from '../alert/alert.ts';
import { title as heading } from '../language/format.ts';
import { plainReader, type Reader, say } from '../language/say.ts';
import { msg } from '../language/text.ts';
import type { Card } from './card.ts';
import { bare, code, cut, line, lines } from './discord-text.ts';
import { footerParts } from './footer.ts';
import { pad, width } from './width.ts';

/** The part of Discord's message that a card becomes (API docs, "Embed limits" and "Component reference"). */
export interface DiscordMessage {
  readonly embeds: [DiscordEmbed];
  readonly components: DiscordRow[];
}

export interface DiscordEmbed {
  readonly author?: { readonly name: string };
  readonly title: string;
  readonly description?: string;
  readonly color: number;
  readonly fields?: { readonly name: string; readonly value: string; readonly inline: true }[];
  readonly image?: { readonly url: string };
  readonly footer?: { readonly text: string };
}

export interface DiscordRow {
  readonly type: 1;
  readonly components: DiscordComponent[];
}

type DiscordComponent =
  | { readonly type: 2; readonly style: 2; readonly label: string; readonly custom_id: string }
  | {
      readonly type: 3;
      readonly custom_id: string;
      readonly placeholder: string;
      readonly options: { readonly label: string; readonly value: string }[];
    };

export interface DiscordOptions {
  /** Market ms, for the age of the data; left out where it is not known. */
  readonly now?: number;
  /** Name of an attached picture. */
  readonly image?: string;
  /** Ends the footer: by it the post is found again. */
  readonly mark?: string;
}

const colors: Record<Severity, number> = { critical: 0xe5484d, warning: 0xf5a524, info: 0x3e8ed0 };
const resolvedColor = 0x30a46c;
const plainColor = 0x5b6472;

/** Discord's limits in UTF-16 units, which are never fewer than what it counts. */
const limits = {
  title: 256,
  description: 4_096,
  name: 256,
  value: 1_024,
  fields: 25,
  footer: 400,
  total: 6_000,
};
/** Of the total, what facts may take, so that there is always room for the text. */
const factsShare = 3_000;

/** What stands where Discord wants something and there is nothing. */
const nothing = '–';

/** A card as an embed with buttons. Nothing in it is mark-up, and no limit of Discord is passed. */
export function renderDiscord(card: Card<string>, options: DiscordOptions = {}): DiscordMessage {
  const { severity, status, reader = plainReader } = card;
  const title = line(card.title, limits.title) || nothing;
  const about = [severity, status]
    .filter((each) => each !== undefined)
    .map((label) => say(heading(label), reader))
    .join(', ');
  const footer = footerText(card, options);
  const fields = facts(card.facts ?? []);
  const used = title.length + about.length + footer.length + fieldsLength(fields);
  const description = text(card, Math.min(limits.description, limits.total - used));
  const color =
    status === 'resolved' ? resolvedColor : severity === undefined ? plainColor : colors[severity];
  const embed: DiscordEmbed = {
    ...(about !== '' && { author: { name: about } }),
    title,
    ...(description !== '' && { description }),
    color,
    ...(fields.length > 0 && { fields }),
    ...(options.image !== undefined && { image: { url: `attachment://${options.image}` } }),
    ...(footer !== '' && { footer: { text: footer } }),
  };
  return { embeds: [embed], components: controls(card.actions ?? [], reader) };
}

type Fields = NonNullable<DiscordEmbed['fields']>;
const fieldsLength = (fields: Fields): number =>
  fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);

function facts(entries: NonNullable<Card<string>['facts']>): Fields {
  const fields: Fields[number][] = [];
  let used = 0;
  for (const { name, value } of entries.slice(0, limits.fields)) {
    const field = {
      name: line(name, limits.name) || nothing,
      value: lines(value, limits.value) || nothing,
      inline: true as const,
    };
    used += field.name.length + field.value.length;
    if (used > factsShare) break;
    fields.push(field);
  }
  return fields;
}

function text({ summary = '', table, reader }: Card<string>, room: number): string {
  if (table === undefined) return lines(summary, room);
  const said = lines(summary, room / 2);
  const listed = renderTable(table, room - said.length - 1, reader);
  return [said, listed].filter((part) => part !== '').join('\n');
}

const fence = '```';
const cell = 24;

/** A table as fixed-width text of at most `room` characters; rows it has no room for are counted. */
function renderTable(
  { columns, rows }: NonNullable<Card<string>['table']>,
  room: number,
  reader: Reader = plainReader,
): string {
  const all = [columns, ...rows].map((row) => row.map(code));
  const widths = Array.from({ length: Math.max(...all.map((row) => row.length)) }, (_, index) =>
    Math.min(cell, Math.max(...all.map((row) => width(row[index] ?? '')))),
  );
  const written = all.map((row) =>
    widths
      .map((size, index) => pad(row[index] ?? '', size))
      .join('  ')
      .trimEnd(),
  );
  const note = (left: number) => (left === 0 ? '' : `\n${say(msg('… and {n} more', { n: left }), reader)}`);
  const reserved = 2 * fence.length + 2 + note(rows.length).length;
  let length = reserved;
  const kept = written.filter((each) => {
    length += each.length + 1;
    return length <= room;
  });
  const left = written.length - kept.length;
  return kept.length === 0 || kept.every((each) => each === '')
    ? ''
    : `${fence}\n${kept.join('\n')}\n${fence}${note(left)}`;
}

/** Discord's limit of a message's text. */
const content = 2_000;

/** Every row of a table in full, one a line, in as many messages as that takes. */
export function renderRows({ rows }: NonNullable<Card<string>['table']>): string[] {
  const pages: string[] = [];
  for (const [first = '', ...rest] of rows) {
    const row = [`**${line(first, 256) || nothing}**`, ...rest.map((each) => line(each, 256))].join(' · ');
    const last = pages.at(-1);
    const joined = `${last}\n${row}`;
    if (last === undefined || joined.length > content) pages.push(cut(row, content));
    else pages[pages.length - 1] = joined;
  }
  return pages;
}

function footerText(card: Card<string>, { now, mark }: DiscordOptions): string {
  const parts = footerParts(card, now)
    .map((part) => bare(part, 200))
    .filter((part) => part !== '');
  // The mark is what a post is found by: never cut.
  const said = cut(parts.join(' · '), limits.footer);
  return [said, ...(mark === undefined ? [] : [`#${mark}`])].filter((part) => part !== '').join(' · ');
}

/** The mark in a footer as `renderDiscord` wrote it. */
export const markOf = (footer: string): string | undefined => /(?:^| · )#([\w.-]+)$/.exec(footer)?.[1];

const perRow = 5;
const buttonsAtMost = 10;
const idLength = 100;
/** Before a command in a button, and the id of a menu whose values are commands. */
export const commandPrefix = 'c:';
export const menuId = 'menu';

/** Actions are buttons, in a menu where they are many. One too long for Discord is left out: it can be typed. */
function controls(actions: NonNullable<Card<string>['actions']>, reader: Reader): DiscordRow[] {
  const byCommand = new Map(
    actions
      .map(({ label, command }) => ({ label: bare(label, 80), command: code(command) }))
      .filter(({ command }) => command !== '' && command.length <= idLength - commandPrefix.length)
      .map(({ label, command }) => [command, label || bare(command, 80)] as const),
  );
  const offered = [...byCommand].map(([command, label]) => ({ command, label }));
  if (offered.length > buttonsAtMost) {
    const options = offered.slice(0, 25).map(({ command, label }) => ({ label, value: command }));
    const placeholder = say(msg('Go on with …'), reader);
    return [{ type: 1, components: [{ type: 3, custom_id: menuId, placeholder, options }] }];
  }
  return Array.from({ length: Math.ceil(offered.length / perRow) }, (_, row) => ({
    type: 1,
    components: offered.slice(row * perRow, (row + 1) * perRow).map(({ command, label }) => ({
      type: 2,
      style: 2,
      label,
      custom_id: `${commandPrefix}${command}`,
    })),
  }));
}
