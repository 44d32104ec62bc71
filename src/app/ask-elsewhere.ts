import { type Receiver, receiverLabel } from '../alert/subscription.ts';
import { type Answer, changeBoth } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg } from '../language/text.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Caller } from '../shell/command.ts';
import { managerRights } from '../shell/rights.ts';

/** A place that a person has named in text. */
interface NamedPlace {
  readonly receiver: Receiver;
  /** Name of the place without the secret parts of its address. */
  readonly label: string;
}

/** Finds the place that an operator has typed. Throws UserError if no platform that operators manage has such an address. */
export const parseOperatorPlace = (used: readonly Platform[], text: string): NamedPlace =>
  parsePlace(
    used.filter(({ operatorOnly }) => operatorOnly === true),
    text,
  );

/** Finds the place on one of these platforms whose address is written in the text. Throws UserError. */
export function parsePlace(
  platforms: readonly Pick<Platform, 'name' | 'addressFormat' | 'shown'>[],
  text: string,
): NamedPlace {
  for (const { name, addressFormat, shown } of platforms) {
    const address = addressFormat.read(text);
    if (address !== undefined)
      return {
        receiver: { notifier: name, address },
        label: receiverLabel({ notifier: name, address: shown(address) }),
      };
  }
  throw new UserError(
    platforms.length === 0
      ? msg('No platform of that sort is set up: see "platforms" in config/default.yaml.')
      : msg('That is no address to post to: give one like {examples}. Is its platform set up?', {
          examples: listOf(platforms.map(({ addressFormat }) => addressFormat.example)),
        }),
  );
}

interface AskElsewhere {
  readonly place: NamedPlace;
  readonly line: string;
  readonly caller: Caller;
  ask(line: string, caller: Caller): Promise<Answer<string>>;
}

/**
 * Runs a command line on behalf of another place. The answer has no buttons: pressed, they would act on the place where the
 * answer is read.
 */
export async function askElsewhere({ place, line, caller, ask }: AskElsewhere): Promise<Answer> {
  const { receiver, label } = place;
  const { roleOf: _, ...asker } = caller;
  const placeCaller = { ...asker, receiver, rights: managerRights, answeredElsewhere: true };
  return changeBoth(await ask(line, placeCaller), ({ actions: _, ...card }) => ({
    ...card,
    title: `${label}: ${card.title}`,
  }));
}
