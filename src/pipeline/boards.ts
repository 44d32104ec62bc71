import type { Logger } from 'pino';
import { digestDue } from '../alert/digest.ts';
import type { BoardPost, LivingBoard } from '../alert/living-board.ts';
import type { Card } from '../card/card.ts';
import { plainLine } from '../card/plain.ts';
import { DeliveryError } from '../language/errors.ts';
import { plainReader, say } from '../language/say.ts';
import { msg } from '../language/text.ts';
import type { Clock, WallClock } from '../runtime/clock.ts';
import { startLoop } from '../runtime/loop.ts';
import type { HeldRole, RoleWork } from '../runtime/role.ts';
import { withSendCheck } from '../runtime/send-check.ts';
import { day, minute, second } from '../runtime/units.ts';
import type { BoardLog, KeptBoard } from '../store/ports.ts';
import { type Outlet, placeOf } from './delivery.ts';
import { hashOf } from './merge.ts';
import { longestAttempt } from './send.ts';

/** Wall ms between two looks at what boards show. */
const lookEvery = 2 * second;
/** Wall ms between two edits of one board: of the 20 messages a minute that a group may get, 14 are left to alerts. */
const editEvery = 10 * second;
/** Wall ms between two changes of a channel's topic or name, of which Discord takes two in ten minutes. */
const labelEvery = 5 * minute + 5 * second;
/** Wall ms until a board that failed is tried again, and one whose place is not found or takes nothing. */
const retryAfter = { unavailable: 30 * second, place: 10 * minute };

/** Returns what a board shows now, in its place's language; undefined: it is not known now, and the board stays as it is. */
export type DrawBoard = (board: LivingBoard) => Promise<Card<string> | undefined>;

interface BoardOptions {
  readonly boards: BoardLog;
  readonly draw: DrawBoard;
  readonly heldRole: HeldRole;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  /** Measures pauses: a wall clock may be set back. */
  readonly steady: Clock;
  readonly log: Logger;
}

/**
 * Keeps the boards of one outlet current while this process delivers there. A board waits for its turn behind every alert, and
 * what it shows is taken only then. Its message exists once: that it begins is stored before it is sent, and whoever finds one
 * begun looks for it first.
 */
export function startBoards(outlet: Outlet, options: BoardOptions): RoleWork {
  const { boards, heldRole, wall, steady, log } = options;
  const stopping = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const notBefore = new Map<string, number>();
  const loop = startLoop(
    async () => {
      if (!heldRole.isHeld()) return lookEvery;
      const kept = await boards.all(outlet.name);
      const ids = new Set(kept.map(({ board }) => board.id));
      for (const id of notBefore.keys()) if (!ids.has(id)) notBefore.delete(id);
      for (const each of kept) {
        const { id } = each.board;
        if (underWay.has(id) || (notBefore.get(id) ?? 0) > steady.now()) continue;
        const work = bringUp(each, { ...options, outlet, signal: stopping.signal })
          .then((wait) => void notBefore.set(id, steady.now() + wait))
          .catch((error: unknown) => {
            notBefore.set(id, steady.now() + retryAfter.unavailable);
            if (!stopping.signal.aborted)
              log.error({ err: error, board: id }, 'error while keeping a board; retrying');
          })
          .finally(() => underWay.delete(id));
        underWay.set(id, work);
      }
      return lookEvery;
    },
    { wall, onError: (error) => log.error({ err: error }, 'could not read the boards; retrying') },
  );
  return {
    async stop() {
      await loop.stop();
      stopping.abort(new Error('the bot is stopping'));
      await Promise.all(underWay.values());
    },
  };
}

interface Bringing extends BoardOptions {
  readonly outlet: Outlet;
  readonly signal: AbortSignal;
}

/** Brings one board up to date by one step. Returns the wall ms until it is looked at again. */
async function bringUp(kept: KeptBoard, context: Bringing): Promise<number> {
  const { board } = kept;
  try {
    if (board.form === 'topic' || board.form === 'name') return await label(kept, board.form, context);
    return kept.post.ended ? await end(kept, context) : await show(kept, context);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const { outcome } = error;
    context.log.debug({ err: error, board: board.id }, 'a board was not taken');
    if (outcome.kind === 'gone') await context.boards.remove(board.id);
    return outcome.kind === 'rate_limited'
      ? outcome.retryAfter
      : outcome.kind === 'unavailable'
        ? retryAfter.unavailable
        : retryAfter.place;
  }
}

async function show(kept: KeptBoard, context: Bringing): Promise<number> {
  const { board, post } = kept;
  const { outlet, boards, draw, now } = context;
  const known = post.begun ? await findBegun(kept, context) : post;
  if (known === undefined) return 0;
  const isBrief = board.daily !== null;
  const due = isBrief ? dueOf(board.daily, { due: known.due, now: now() }) : null;
  if (isBrief && due !== null && due > now() && !known.begun) {
    if (due !== known.due) await boards.keep(board.id, { ...known, due });
    return Math.min(minute, due - now());
  }
  const isPost = known.reference === null || isBrief;
  const before = await draw(board);
  if (before === undefined) return retryAfter.unavailable;
  if (!isPost && known.shown === versionOf(before)) return pinOnce(board, known, context);
  await takeTurn(board, isPost ? 'post' : 'edit', context);
  // What it shows may have changed while it waited for its turn.
  const card = (await draw(board)) ?? before;
  const version = versionOf(card);
  const id = postIdOf(board, known);
  const sending = sendingTo(board, context);
  if (isPost || known.reference === null) {
    if (!(await boards.keep(board.id, { ...known, begun: true, due }))) return 0;
    const reference = await outlet.connection.send(
      { id, version, card, loud: isBrief, doubt: known.begun },
      sending,
    );
    const sent = { ...known, begun: false, reference, shown: version };
    await boards.keep(
      board.id,
      isBrief ? { ...sent, turn: known.turn + 1, due: nextDue(board.daily, now()) } : sent,
    );
    return isBrief ? minute : 0;
  }
  const { edit } = outlet.connection;
  if (edit === undefined) return day;
  const notification = { id, version, card, loud: false, doubt: false, board: true };
  const reference = await edit.call(outlet.connection, known.reference, { notification, ...sending });
  if (reference === null) return renew(board, known, context);
  await boards.keep(board.id, { ...known, reference, shown: version });
  return known.pinned || outlet.connection.pin === undefined ? editEvery : 0;
}

/** Looks for a message that a killed process may have sent. Undefined: what was found is stored, and the rest can wait. */
async function findBegun({ board, post }: KeptBoard, context: Bringing): Promise<BoardPost | undefined> {
  const { outlet, boards, now } = context;
  const { find } = outlet.connection;
  if (find === undefined) return post;
  await takeTurn(board, 'post', context);
  const given = { address: board.receiver.address, signal: AbortSignal.timeout(longestAttempt) };
  const found = await find.call(outlet.connection, { id: postIdOf(board, post) }, given);
  if (found === undefined) return post;
  const isDaily = found !== null && board.daily !== null;
  await boards.keep(board.id, {
    ...post,
    begun: false,
    reference: found ?? post.reference,
    shown: null,
    ...(isDaily && { turn: post.turn + 1, due: nextDue(board.daily, now()) }),
  });
  return undefined;
}

/** Makes a deleted message anew, once: who deletes it again within a day wants it no more. */
async function renew(board: LivingBoard, post: BoardPost, { boards, wall, log }: Bringing): Promise<number> {
  const at = wall.now();
  const since = at - (post.renewedAt ?? Number.NEGATIVE_INFINITY);
  // What lies ahead is of a clock that was set back since: when it was, is not known.
  if (since >= 0 && since < day) {
    log.info({ board: board.id }, 'a board was deleted twice within a day, and is ended');
    await boards.remove(board.id);
    return 0;
  }
  await boards.keep(board.id, {
    ...post,
    turn: post.turn + 1,
    reference: null,
    shown: null,
    pinned: false,
    renewedAt: at,
  });
  return 0;
}

/** Pins the board's message, where the platform can and lets the bot. */
async function pinOnce(board: LivingBoard, post: BoardPost, context: Bringing): Promise<number> {
  const { outlet, boards, log } = context;
  const { pin } = outlet.connection;
  if (post.pinned || post.reference === null || pin === undefined || board.daily !== null) return 0;
  await takeTurn(board, 'edit', context);
  await pin.call(outlet.connection, post.reference, sendingTo(board, context)).catch((error: unknown) => {
    // Where the bot may not pin, the board is kept all the same.
    if (!(error instanceof DeliveryError) || error.outcome.kind === 'unavailable') throw error;
    log.debug({ err: error, board: board.id }, 'a board could not be pinned');
  });
  await boards.keep(board.id, { ...post, pinned: true });
  return 0;
}

/** Says below a board's last state that it is over, and forgets it. What is over must not look current. */
async function end({ board, post }: KeptBoard, context: Bringing): Promise<number> {
  const { outlet, boards, draw } = context;
  const { edit } = outlet.connection;
  if (post.reference !== null && edit !== undefined && board.daily === null) {
    const last = await draw(board);
    const reader = last?.reader ?? plainReader;
    const card = { title: say(msg('This board has ended: {line}', { line: board.line }), reader), reader };
    await takeTurn(board, 'edit', context);
    const id = postIdOf(board, post);
    const notification = { id, version: 'ended', card, loud: false, doubt: false, board: true };
    await edit
      .call(outlet.connection, post.reference, { notification, ...sendingTo(board, context) })
      .catch((error) => {
        if (!(error instanceof DeliveryError) || error.outcome.kind !== 'rejected') throw error;
      });
  }
  await boards.remove(board.id);
  return 0;
}

/** Writes a board's title into the topic or the name of its channel. */
async function label({ board, post }: KeptBoard, as: 'topic' | 'name', context: Bringing): Promise<number> {
  const { outlet, boards, draw, wall } = context;
  if (post.ended || outlet.connection.label === undefined) {
    await boards.remove(board.id);
    return 0;
  }
  const card = await draw(board);
  if (card === undefined) return retryAfter.unavailable;
  const text = [plainLine(card.title), plainLine(card.source ?? '')]
    .filter((part) => part !== '')
    .join(' · ');
  // Of the last change `renewedAt` tells: after a restart the limit holds on.
  const wait = (post.renewedAt ?? 0) + labelEvery - wall.now();
  if (text === post.shown) return lookEvery;
  if (wait > 0 && wait <= labelEvery) return wait;
  await boards.keep(board.id, { ...post, renewedAt: wall.now() });
  await takeTurn(board, 'edit', context);
  await outlet.connection.label(text, { as, ...sendingTo(board, context) });
  await boards.keep(board.id, { ...post, shown: text, renewedAt: wall.now() });
  return labelEvery;
}

async function takeTurn(
  { receiver }: LivingBoard,
  act: 'post' | 'edit',
  { outlet, signal, heldRole }: Bringing,
): Promise<void> {
  await outlet.pace.take(placeOf(outlet, receiver, act), { lane: 'board', signal });
  if (!heldRole.isHeld())
    throw new DeliveryError(
      { kind: 'unavailable', accepted: 'no' },
      msg('another process may have taken over'),
    );
}

const sendingTo = ({ receiver }: LivingBoard, { heldRole }: Bringing) => ({
  address: receiver.address,
  signal: withSendCheck(AbortSignal.timeout(longestAttempt), heldRole.isHeld),
  lease: heldRole.lease,
});

const postIdOf = ({ id }: LivingBoard, { turn }: BoardPost): string => hashOf(['board', id, turn]);

/** Identifies what a card shows, with the time of its data. */
const versionOf = ({
  title,
  summary,
  facts,
  table,
  severity,
  status,
  dataTime,
  source,
}: Card<string>): string => hashOf([title, summary, facts, table?.rows, severity, status, dataTime, source]);

const nextDue = (daily: LivingBoard['daily'], after: number): number | null =>
  daily && digestDue({ every: 'day', ...daily }, { quiet: null, after });

/** Returns when a brief is due. One that was missed for longer than a day, or is of another market's time, waits for the next. */
function dueOf(
  daily: LivingBoard['daily'],
  { due, now }: { readonly due: number | null; readonly now: number },
): number | null {
  const isKnown = due !== null && due > now - day && due <= now + day + 2 * 60 * minute;
  return isKnown ? due : nextDue(daily, now);
}
