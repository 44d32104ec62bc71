import type { LivingBoard } from '../alert/living-board.ts';
import { receiverKey } from '../alert/subscription.ts';
import { watchlist } from '../alert/symbols.ts';
import type { Card } from '../card/card.ts';
import { english } from '../language/languages.ts';
import type { Reader } from '../language/say.ts';
import type { DrawBoard } from '../pipeline/boards.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Ports } from '../platforms/ports.ts';
import type { Clock } from '../runtime/clock.ts';
import { createKept } from '../runtime/kept.ts';
import { minute, second } from '../runtime/units.ts';
import { viewerRights } from '../shell/rights.ts';
import { commandNamed } from '../shell/vocabulary.ts';

/** Wall ms for which an answer is shown on every board that asks the same, and for which what a place has chosen is used. */
const answerHolds = 5 * second;
const choiceHolds = minute;
/** How many answers, and how many choices, are kept. */
const most = 10_000;

/**
 * Draws boards from the answers to their questions. Boards that ask the same in the same language share an answer, unless it
 * contains what a place has.
 */
export function createDrawBoard({
  ask,
  reader,
  commands,
  platforms,
  wall,
}: Pick<Ports, 'ask' | 'reader' | 'commands'> & {
  readonly platforms: readonly Pick<Platform, 'name' | 'slash'>[];
  readonly wall: Clock;
}): DrawBoard {
  const answers = createKept<Card<string> | undefined>({ holds: answerHolds, most, clock: wall });
  const readers = createKept<Reader>({ holds: choiceHolds, most, clock: wall });
  return async ({ receiver, line }: LivingBoard) => {
    const slash = platforms.find(({ name }) => name === receiver.notifier)?.slash;
    const caller = {
      receiver,
      user: 'Tocsin',
      rights: viewerRights,
      language: english,
      timeZone: 'UTC',
      slash,
    };
    const place = receiverKey(receiver);
    const choice = JSON.stringify(await (readers.get(place) ?? readers.put(place, reader(caller))));
    // A market alone is a question too: what names no command is taken for a place's own.
    const command = commandNamed(line.split(/\s/)[0] ?? '', commands);
    const isShared = command !== undefined && command.showsPlace !== true && !line.includes(watchlist);
    const own = isShared ? '' : place;
    const draw = async () => {
      const { later, failure, forAsker: _, file: __, ...first } = await ask(line, caller);
      if (failure !== undefined) return undefined;
      return { ...((await later) ?? first), lasting: true as const };
    };
    const key = `${choice} ${own} ${line}`;
    return answers.get(key) ?? answers.put(key, draw());
  };
}
