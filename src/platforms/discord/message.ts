import { AttachmentBuilder, MessageFlags } from 'discord.js';
import type { Card } from '../../card/card.ts';
import { plainReader, type Reader, say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import type { Ports } from '../ports.ts';
import { renderList } from './list.ts';
import type { LongLines } from './long-lines.ts';
import { type AnswerPage, pageId } from './pages.ts';
import { type DiscordRow, renderDiscord } from './render.ts';
import type { CommandIds } from './text.ts';

const imageName = 'chart.png';

/** Renders a card, or one page of it, as a message for discord.js. The picture and the file are attached to the first page. */
export async function messageOf(
  card: Card<string>,
  {
    image,
    now,
    answerPage,
    lines,
    ids,
  }: {
    readonly answerPage?: AnswerPage | undefined;
    readonly lines: LongLines;
    readonly ids: CommandIds;
  } & Pick<Ports, 'image' | 'now'>,
) {
  const { page = 0 } = answerPage ?? {};
  const picture = page === 0 && card.chart ? await image(card).catch(() => undefined) : undefined;
  const list =
    picture === undefined && card.file === undefined
      ? renderList(card, { now: now(), idForLongCommand: lines.keep, ids })
      : undefined;
  if (list !== undefined) return { ...list, files: [] };
  const pages = renderDiscord(card, {
    now: now(),
    idForLongCommand: lines.keep,
    image: picture && imageName,
    ids,
  });
  const { embeds, components } = pages[page] ?? pages[0];
  return {
    embeds,
    components: [
      ...components,
      ...(answerPage === undefined ? [] : pager(answerPage, { pages: pages.length, reader: card.reader })),
    ],
    files: [
      ...(picture === undefined
        ? []
        : [new AttachmentBuilder(Buffer.from(picture.png), { name: imageName, description: picture.alt })]),
      ...(page === 0 && card.file !== undefined
        ? [new AttachmentBuilder(Buffer.from(card.file.text), { name: card.file.name })]
        : []),
    ],
  };
}

function pager(
  { answer, page }: AnswerPage,
  { pages, reader = plainReader }: { readonly pages: number; readonly reader?: Reader | undefined },
): DiscordRow[] {
  const button = (label: string, to: number) => ({
    type: 2 as const,
    style: 2 as const,
    label,
    custom_id: pageId({ answer, page: to }),
  });
  const components = [
    ...(page > 0 ? [button(say(msg('Previous page'), reader), page - 1)] : []),
    ...(page < pages - 1 ? [button(say(msg('Next page'), reader), page + 1)] : []),
  ];
  return components.length === 0 ? [] : [{ type: 1, components }];
}

/** Returns the message's flags: a message that is made of components has a flag that says so. */
const flagsOf = (message: Awaited<ReturnType<typeof messageOf>>): number =>
  'flags' in message ? message.flags : 0;

export const asEphemeral = (message: Awaited<ReturnType<typeof messageOf>>) => ({
  ...message,
  flags: flagsOf(message) | MessageFlags.Ephemeral,
});
