import type { Card } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { factParagraphs, rowParagraphs, textParagraphs } from './body.ts';
import { controls, type DiscordRenderOptions, type DiscordRow, nothing, plainColor } from './render.ts';
import { line, lineWriter, noCommandIds } from './text.ts';

/** IS_COMPONENTS_V2: a message that is made of components alone, without embeds. */
const componentsV2 = 1 << 15;

/** A list as Discord shows it (API docs, "Component reference"). */
interface DiscordList {
  readonly flags: typeof componentsV2;
  readonly components: [DiscordContainer];
}

interface DiscordContainer {
  readonly type: 17;
  readonly accent_color: number;
  readonly components: DiscordPart[];
}

interface DiscordText {
  readonly type: 10;
  readonly content: string;
}

type DiscordButton = Extract<DiscordRow['components'][number], { readonly type: 2 }>;

type DiscordPart =
  | DiscordText
  | { readonly type: 9; readonly components: [DiscordText]; readonly accessory: DiscordButton }
  | { readonly type: 14 }
  | DiscordRow;

/** Limits of a message: components, nested ones included; characters of all texts together; characters of a title. */
const limits = { components: 40, text: 4_000, title: 256 } as const;

/**
 * Renders a card whose table has commands for its rows as a list with a button beside each of these rows. Returns undefined
 * if the card has no such table or does not fit. Only answers are rendered like this. Alerts are embeds, because a push
 * notification shows nothing of a message made of components (https://github.com/discord/discord-api-docs/issues/7854).
 */
export function renderList(
  card: Card<string>,
  { now, idForLongCommand, ids }: Pick<DiscordRenderOptions, 'now' | 'idForLongCommand' | 'ids'> = {},
): DiscordList | undefined {
  const { title, summary = '', facts = [], table, actions = [], reader } = card;
  if (!actions.some(({ command }) => table?.commands?.includes(command)) || table === undefined)
    return undefined;
  const { columns, rows, commands = [] } = table;
  const write = lineWriter(card, ids ?? noCommandIds);
  const buttonFor = (command: string | undefined): DiscordButton | undefined => {
    const [row] = controls(
      actions.filter((action) => action.command === command),
      reader,
      idForLongCommand,
    );
    return row?.components.find((each) => each.type === 2);
  };
  const otherActions = actions.filter(({ command }) => !commands.includes(command));
  const footer = footerParts(card, now).map((part) => line(part, limits.title));
  const parts: DiscordPart[] = [
    text(`### ${line(title, limits.title) || nothing}`),
    ...texts(textParagraphs(summary, write)),
    ...rows.map((row, index): DiscordPart => {
      const content = text(rowParagraphs(columns, row, write).join('\n'));
      const accessory = buttonFor(commands[index]);
      return accessory === undefined ? content : { type: 9, components: [content], accessory };
    }),
    ...(facts.length === 0 ? [] : [{ type: 14 } as const, ...texts(factParagraphs(facts, write))]),
    ...(footer.length === 0 ? [] : [text(`-# ${footer.join(' · ')}`)]),
    ...controls(otherActions, reader, idForLongCommand),
  ];
  const container: DiscordContainer = { type: 17, accent_color: plainColor, components: parts };
  return 1 + count(parts) > limits.components || size(parts) > limits.text
    ? undefined
    : { flags: componentsV2, components: [container] };
}

const text = (content: string): DiscordText => ({ type: 10, content });
const texts = (paragraphs: readonly string[]): DiscordText[] =>
  paragraphs.length === 0 ? [] : [text(paragraphs.join('\n'))];

const count = (parts: readonly DiscordPart[]): number =>
  parts.reduce(
    (sum, part) =>
      sum + 1 + ('accessory' in part ? 1 : 0) + ('components' in part ? part.components.length : 0),
    0,
  );

const size = (parts: readonly DiscordPart[]): number =>
  parts.reduce(
    (sum, part) =>
      sum +
      (part.type === 10
        ? part.content.length
        : part.type === 9
          ? (part.components[0].content.length ?? 0)
          : 0),
    0,
  );
