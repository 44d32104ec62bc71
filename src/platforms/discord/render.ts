import { type Card, linksOf, toneOf } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { plainLines } from '../../card/plain.ts';
import { labelTitle } from '../../language/format.ts';
import { plainReader, type Reader, say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { chunksOf } from '../../runtime/chunks.ts';
import { factParagraphs, fillPages, tableParagraphs, textParagraphs } from './body.ts';
import { type PostMark, withMark } from './mark.ts';
import { bare, type CommandIds, code, cut, line, lineWriter, noCommandIds, type WriteLine } from './text.ts';

/** A card rendered as parts of a Discord message (API docs, "Embed limits" and "Component reference"). */
export interface DiscordMessage {
  readonly embeds: [DiscordEmbed];
  readonly components: DiscordRow[];
}

interface DiscordEmbed {
  readonly author?: { readonly name: string };
  readonly title: string;
  readonly url?: string;
  readonly description?: string;
  readonly color: number;
  readonly fields?: { readonly name: string; readonly value: string; readonly inline: true }[];
  readonly image?: { readonly url: string };
  readonly footer?: { readonly text: string };
}

export interface DiscordRow {
  readonly type: 1;
  readonly id?: number;
  readonly components: DiscordComponent[];
}

type DiscordComponent = { readonly id?: number } & (Button | Menu);

type Button = { readonly type: 2; readonly label: string } & (
  | { readonly style: 1 | 2 | 4; readonly custom_id: string }
  | { readonly style: 5; readonly url: string }
);

type Menu = { readonly custom_id: string; readonly placeholder: string } & (
  | { readonly type: 3; readonly options: { readonly label: string; readonly value: string }[] }
  | { readonly type: 8; readonly channel_types: readonly number[] }
  | {
      readonly type: 6;
      readonly min_values: 0;
      readonly default_values: readonly { readonly id: string; readonly type: 'role' }[];
    }
);

export interface DiscordRenderOptions {
  /** Market time, ms, for showing the age of the data; absent if it is not known. */
  readonly now?: number;
  /** Name of an attached picture. */
  readonly image?: string | undefined;
  /** The commands that are mentioned where the card names them; others are written as code. */
  readonly ids?: CommandIds | undefined;
  /** Returns a button id for a command that is too long to be an id itself. Absent: such a command gets no button. */
  readonly idForLongCommand?: (command: string) => string;
  /** The mark by which the post can be found again. A post without buttons of its own gets one, to carry the mark. */
  readonly mark?: PostMark;
}

const colors = { critical: 0xe5484d, warning: 0xf5a524, info: 0x3e8ed0, resolved: 0x30a46c };
export const plainColor = 0x5b6472;

/** Discord's limits, applied to UTF-16 units. Discord never counts more units than that. */
const limits = {
  title: 256,
  description: 4_096,
  name: 256,
  value: 1_024,
  fields: 25,
  footer: 400,
  total: 6_000,
};
/** The part of `limits.total` that facts may use, so that there is always room for the text. */
const maxFactsLength = 3_000;

/** A placeholder for texts that Discord requires and the card does not have. */
export const nothing = '–';

/**
 * Renders a card as an embed with buttons; text that does not fit becomes further messages. The card's text is escaped, so
 * that nothing in it is mark-up, Discord's limits are kept, and no text of the card is left out.
 */
export function renderDiscord(
  card: Card<string>,
  options: DiscordRenderOptions = {},
): [DiscordMessage, ...DiscordMessage[]] {
  const { severity, status, reader = plainReader, table } = card;
  const write = lineWriter(card, options.ids ?? noCommandIds);
  const title = line(card.title, limits.title) || nothing;
  const wholeTitle = line(card.title, Number.POSITIVE_INFINITY);
  const author = [severity, status]
    .filter((each) => each !== undefined)
    .map((label) => say(labelTitle(label), reader))
    .join(', ');
  const { fields, rest } = facts(card.facts ?? [], write);
  const footer = footerText(card, options.now);
  const used = title.length + author.length + limits.footer + fieldsLength(fields);
  const [first, ...others] = fillPages(
    [
      ...(wholeTitle.length > limits.title ? textParagraphs(card.title, write) : []),
      ...textParagraphs(card.summary ?? '', write),
      ...factParagraphs(rest, write),
      ...(table === undefined ? [] : tableParagraphs(table, write)),
      ...linkParagraphs(card),
    ],
    Math.min(limits.description, limits.total - used),
    limits.description,
  );
  const pages = 1 + others.length;
  const tone = toneOf(card);
  const color = card.color ?? (tone === undefined ? plainColor : colors[tone]);
  const image = options.image !== undefined && { image: { url: `attachment://${options.image}` } };
  const embed: DiscordEmbed = {
    ...(author !== '' && { author: { name: author } }),
    title,
    ...(card.url !== undefined && { url: card.url }),
    ...(first !== '' && { description: first }),
    color,
    ...(fields.length > 0 && { fields }),
    ...image,
    ...footerOf(joined(pages === 1 ? '' : pageText(1, pages, reader), footer)),
  };
  return [
    { embeds: [embed], components: rows(card, { ...options, reader }) },
    ...others.map((description, index): DiscordMessage => {
      const page = footerOf(pageText(index + 2, pages, reader));
      return { embeds: [{ title, description, color, ...image, ...page }], components: [] };
    }),
  ];
}

/** Returns one paragraph with the pages that the card names, as links that show no preview. */
function linkParagraphs(card: Card<string>): string[] {
  const links = linksOf(card).map(({ label, url }) => `[${line(label, maxLinkLabel) || nothing}](<${url}>)`);
  return links.length === 0 ? [] : [links.join(' · ')];
}

const pageText = (page: number, pages: number, reader: Reader): string =>
  bare(say(msg('Page {page, number} of {pages, number}', { page, pages }), reader), 80);
const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');
const footerOf = (text: string) => text !== '' && { footer: { text } };

type Fields = NonNullable<DiscordEmbed['fields']>;
const fieldsLength = (fields: Fields): number =>
  fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);

/** Splits facts into fields, as far as each fits whole, and the rest, which goes into the text. */
function facts(entries: NonNullable<Card<string>['facts']>, write: WriteLine) {
  const fields: Fields[number][] = [];
  const rest: (typeof entries)[number][] = [];
  let used = 0;
  for (const entry of entries) {
    const name = line(entry.name, Number.POSITIVE_INFINITY) || nothing;
    const value = plainLines(entry.value).map(write).join('\n') || nothing;
    const fits = name.length <= limits.name && value.length <= limits.value && fields.length < limits.fields;
    if (fits && used + name.length + value.length <= maxFactsLength) {
      fields.push({ name, value, inline: true });
      used += name.length + value.length;
    } else rest.push(entry);
  }
  return { fields, rest };
}

/** Maximum length of the footer's text without the page number. */
const maxFooterText = 200;

function footerText(card: Card<string>, now: number | undefined): string {
  const parts = footerParts(card, now)
    .map((part) => bare(part, 200))
    .filter((part) => part !== '');
  return cut(parts.join(' · '), maxFooterText);
}

const maxLinkLabel = 80;
const buttonsPerRow = 5;
const maxButtons = 10;
const idLength = 100;
/** Prefix of a command in the id of a button or in a value of a menu. */
export const commandPrefix = 'c:';
export const menuId = 'menu';

function rows(
  card: Card<string>,
  { reader, mark, idForLongCommand }: { readonly reader: Reader } & DiscordRenderOptions,
): DiscordRow[] {
  const rendered = withPages(controls(card.actions ?? [], reader, idForLongCommand), card);
  if (mark === undefined) return rendered;
  // A post without actions gets a button that shows the subscriptions, that is, why the post was sent here.
  const fallbackActions = [{ label: say(msg('Subscriptions'), reader), command: 'subscriptions' }];
  return withMark(rendered.length === 0 ? controls(fallbackActions, reader) : rendered, mark);
}

/** Puts the buttons that open pages behind the first button, as far as its row has room. */
function withPages(rendered: DiscordRow[], card: Card<string>): DiscordRow[] {
  const pages = linksOf(card).flatMap(({ url, button }): DiscordComponent[] =>
    button === undefined ? [] : [{ type: 2, style: 5, label: bare(button, 80) || nothing, url }],
  );
  const [first, ...others] = rendered;
  if (pages.length === 0) return rendered;
  if (first === undefined) return [{ type: 1, components: pages.slice(0, buttonsPerRow) }];
  const [leading, ...rest] = first.components;
  const isButtons = leading?.type === 2 && first.components.length + pages.length <= buttonsPerRow;
  return isButtons ? [{ ...first, components: [leading, ...pages, ...rest] }, ...others] : rendered;
}

/** Styles of buttons: primary, secondary, danger (API docs, "Button styles"). */
const styles = { main: 1, plain: 2, danger: 4 } as const;

/** The channels that can get alerts: text, announcement, forum (API docs, "Channel types"). */
const alertChannels = [0, 5, 15];

/** Renders actions as buttons, or as a menu if there are more than `maxButtons`, below menus of channels or roles to choose. */
export function controls(
  all: NonNullable<Card<string>['actions']>,
  reader: Reader = plainReader,
  idForLongCommand?: DiscordRenderOptions['idForLongCommand'],
): DiscordRow[] {
  const isChoice = ({ at, role }: (typeof all)[number]) => at !== undefined || role !== undefined;
  const actions = all.filter((action) => !isChoice(action));
  const menus = all.filter(isChoice).map(({ label, command, role }): DiscordRow => {
    const common = { custom_id: `${commandPrefix}${code(command)}`, placeholder: bare(label, 150) };
    const { chosen } = role ?? {};
    return {
      type: 1,
      components: [
        role === undefined
          ? { type: 8, ...common, channel_types: alertChannels }
          : {
              type: 6,
              ...common,
              min_values: 0,
              default_values: chosen === undefined ? [] : [{ id: chosen, type: 'role' }],
            },
      ],
    };
  });
  const byId = new Map(
    actions.flatMap(({ label, command, weight }) => {
      const line = code(command);
      const fullId = `${commandPrefix}${line}`;
      const id = fullId.length <= idLength ? fullId : idForLongCommand?.(line);
      return line === '' || id === undefined
        ? []
        : [[id, { label: bare(label, 80) || bare(line, 80), style: styles[weight ?? 'plain'] }] as const];
    }),
  );
  const buttons = [...byId].map(([id, shown]) => ({ ...shown, id }));
  if (buttons.length > maxButtons) {
    const options = buttons.slice(0, 25).map(({ id, label }) => ({ label, value: id }));
    const placeholder = say(msg('Next …'), reader);
    return [...menus, { type: 1, components: [{ type: 3, custom_id: menuId, placeholder, options }] }];
  }
  const rows = chunksOf(buttons, buttonsPerRow).map(
    (row): DiscordRow => ({
      type: 1,
      components: row.map(({ id, label, style }) => ({ type: 2, style, label, custom_id: id })),
    }),
  );
  return [...menus, ...rows];
}
