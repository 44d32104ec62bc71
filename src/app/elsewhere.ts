import type { Receiver } from '../alert/subscription.ts';
import type { Answer, Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg } from '../language/text.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Caller } from '../shell/command.ts';

/** A place where nobody types. */
interface OperatedPlace {
  readonly receiver: Receiver;
  /** Without what is secret in its address. */
  readonly label: string;
}

/** The place that an operator has typed. Throws UserError where it is none that is posted to. */
export function operatedPlace(used: readonly Platform[], text: string): OperatedPlace {
  const known = used.flatMap(({ name, operated, shown }) =>
    operated === undefined ? [] : [{ name, operated, shown }],
  );
  for (const { name, operated, shown } of known) {
    const address = operated.named(text);
    if (address !== undefined)
      return {
        receiver: { notifier: name, address },
        label: [name, ...Object.values(shown(address))].join(' '),
      };
  }
  throw new UserError(
    known.length === 0
      ? msg('No platform of that sort is set up: see "platforms" in config/default.yaml.')
      : msg('That is no address to post to: give one like {examples}.', {
          examples: listOf(known.map(({ operated }) => operated.example)),
        }),
  );
}

export interface AskElsewhere {
  readonly place: OperatedPlace;
  readonly line: string;
  readonly caller: Caller;
  ask(line: string, caller: Caller): Promise<Answer<string>>;
}

/** Buttons are left out: pressed, they would act on the place where the answer is read. */
export async function askElsewhere({ place, line, caller, ask }: AskElsewhere): Promise<Answer> {
  const { receiver, label } = place;
  const { roleOf: _, ...asker } = caller;
  const there = { ...asker, receiver, manages: true, answeredElsewhere: true };
  const about = ({ actions: _, ...card }: Card<string>) => ({ ...card, title: `${label}: ${card.title}` });
  const { later, ...card } = await ask(line, there);
  return {
    ...about(card),
    ...(later !== undefined && { later: later.then((whole) => whole && about(whole)) }),
  };
}
