import type { LivingBoard } from '../alert/living-board.ts';
import { receiverKey } from '../alert/subscription.ts';
import { watchlist } from '../alert/symbols.ts';
import type { Card } from '../card/card.ts';
import { english } from '../language/languages.ts';
import type { DrawBoard } from '../pipeline/boards.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Ports } from '../platforms/ports.ts';
import type { Clock } from '../runtime/clock.ts';
import { minute, second } from '../runtime/units.ts';
import { viewerRights } from '../shell/rights.ts';
import { commandNamed } from '../shell/vocabulary.ts';

/** Wall ms for which an answer is shown on every board that asks the same, and for which what a place has chosen is used. */
const answerHolds = 5 * second;
const choiceHolds = minute;

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
  const answers = createCache<Card<string> | undefined>(answerHolds, wall);
  const readers = createCache<string>(choiceHolds, wall);
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
    const choice = await readers(place, async () => JSON.stringify(await reader(caller)));
    // A market alone is a question too: what names no command is taken for a place's own.
    const command = commandNamed(line.split(/\s/)[0] ?? '', commands);
    const isShared = command !== undefined && command.showsPlace !== true && !line.includes(watchlist);
    const own = isShared ? '' : place;
    return answers(`${choice} ${own} ${line}`, async () => {
      const { later, failure, forAsker: _, file: __, ...first } = await ask(line, caller);
      if (failure !== undefined) return undefined;
      return { ...((await later) ?? first), lasting: true as const };
    });
  };
}

/** Keeps the results of some work for a while, by what they are about. What fails is not kept. */
function createCache<Value>(holds: number, clock: Clock) {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<Value> }>();
  return (key: string, work: () => Promise<Value>): Promise<Value> => {
    const now = clock.now();
    const known = kept.get(key);
    if (known !== undefined && now - known.at < holds && now >= known.at) return known.value;
    for (const [each, { at }] of kept) if (now - at >= holds) kept.delete(each);
    const value = work();
    kept.set(key, { at: now, value });
    value.catch(() => kept.delete(key));
    return value;
  };
}
