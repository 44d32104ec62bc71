import type { Receiver } from '../alert/subscription.ts';
import type { Answer, Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg } from '../language/text.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Caller } from '../shell/command.ts';
import { manager } from '../shell/rights.ts';

/** A place as it is named by hand. */
interface NamedPlace {
  readonly receiver: Receiver;
  /** Without what is secret in its address. */
  readonly label: string;
}

/** The place that an operator has typed. Throws UserError where it is none that is posted to. */
export const operatedPlace = (used: readonly Platform[], text: string): NamedPlace =>
  writtenPlace(
    used.filter(({ operated }) => operated === true),
    text,
  );

/** The place of one of these platforms that is named by hand. Throws UserError. */
export function writtenPlace(
  platforms: readonly Pick<Platform, 'name' | 'written' | 'shown'>[],
  text: string,
): NamedPlace {
  for (const { name, written, shown } of platforms) {
    const address = written.read(text);
    if (address !== undefined)
      return {
        receiver: { notifier: name, address },
        label: [name, ...Object.values(shown(address))].join(' '),
      };
  }
  throw new UserError(
    platforms.length === 0
      ? msg('No platform of that sort is set up: see "platforms" in config/default.yaml.')
      : msg('That is no address to post to: give one like {examples}.', {
          examples: listOf(platforms.map(({ written }) => written.example)),
        }),
  );
}

export interface AskElsewhere {
  readonly place: NamedPlace;
  readonly line: string;
  readonly caller: Caller;
  ask(line: string, caller: Caller): Promise<Answer<string>>;
}

/** Buttons are left out: pressed, they would act on the place where the answer is read. */
export async function askElsewhere({ place, line, caller, ask }: AskElsewhere): Promise<Answer> {
  const { receiver, label } = place;
  const { roleOf: _, ...asker } = caller;
  const there = { ...asker, receiver, rights: manager, answeredElsewhere: true };
  const about = ({ actions: _, ...card }: Card<string>) => ({ ...card, title: `${label}: ${card.title}` });
  const { later, ...card } = await ask(line, there);
  return {
    ...about(card),
    ...(later !== undefined && { later: later.then((whole) => whole && about(whole)) }),
  };
}
