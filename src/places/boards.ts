import type { boardForms, LivingBoard } from '../alert/living-board.ts';
import { UserError } from '../language/errors.ts';
import { join, listOf, msg, type Text, typed } from '../language/text.ts';
import {
  type Done,
  type Editing,
  findThings,
  makerOf,
  proveReach,
  requireRoom,
  type Which,
} from './editing.ts';
import { lengths } from './limits.ts';

type WantedBoard = Pick<LivingBoard, 'line' | 'form' | 'daily'>;

/**
 * Keeps the answer to a question in a place. The same question twice is one board, and a channel has one topic and one name:
 * another question takes its place there.
 * @throws UserError
 */
export async function createBoard(
  wanted: WantedBoard,
  editing: Editing,
): Promise<Done & { readonly board: LivingBoard }> {
  const { store, author } = editing;
  const { line, form, daily } = wanted;
  if (line.length > lengths.boardLine)
    throw new UserError(
      msg('A board’s question has at most {most, number} characters.', { most: lengths.boardLine }),
      {
        code: 'limit',
      },
    );
  if ((form === 'brief') !== (daily !== null))
    throw new UserError(msg('At a time of day a board is a new message, and nothing else.'));
  await proveReach(editing);
  const { board, isNew } = await store.change(author, async (places, audit) => {
    const existing = await places.boards.of(author.receiver);
    const isSingle = form === 'topic' || form === 'name';
    const same = existing.find((each) => each.form === form && (each.line === line || isSingle));
    if (same?.line === line && JSON.stringify(same.daily) === JSON.stringify(daily))
      return { board: same, isNew: false };
    if (same !== undefined) await places.boards.end(same.id, author.receiver);
    else await requireRoom('boards', existing, () => places.boards.countOfAccount(author.receiver));
    const made = { receiver: author.receiver, createdBy: makerOf(author), createdAt: author.at };
    const board = await places.boards.add({ line, form, daily, ...made });
    audit(msg('pinned {id}: {what}', { id: board.id, what: boardText(board) }));
    return { board, isNew: true };
  });
  return {
    board,
    title: isNew ? msg('Pinned') : msg('Already pinned'),
    summary: msg('{what}. "{unpin}" ends it.', {
      what: boardText(board),
      unpin: typed(`unpin ${board.id}`, `unpin id:${board.id}`),
    }),
  };
}

const missing = {
  none: msg('Nothing is pinned here.'),
  unknown: (id: string) => msg('No board here has the id "{id}"', { id }),
};

/** Ends one board, or all of the place. @throws UserError */
export async function endBoards(which: Which, { store, author }: Editing): Promise<Done> {
  const ended = await store.change(author, async (places, audit) => {
    const meant = findThings(which, await places.boards.of(author.receiver), missing);
    for (const each of meant) {
      await places.boards.end(each.id, author.receiver);
      audit(msg('unpinned {id}: {what}', { id: each.id, what: boardText(each) }));
    }
    return meant;
  });
  return {
    title: msg('{count, plural, one {Board ended} other {# boards ended}}', { count: ended.length }),
    summary: listOf(ended.map(boardText)),
  };
}

const formTexts: Readonly<Record<(typeof boardForms)[number], Text>> = {
  message: msg('kept current'),
  topic: msg('in the channel’s topic'),
  name: msg('in the channel’s name'),
  brief: msg('each day'),
};

/** Says what a board shows and where: `market, kept current`. */
export const boardText = ({ line, form, daily }: WantedBoard): Text =>
  listOf([line, daily === null ? formTexts[form] : join([formTexts[form], daily.at, daily.timeZone], ' ')]);
