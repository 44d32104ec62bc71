import type { Receiver } from '../alert/subscription.ts';
import type { Answer, Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg } from '../language/text.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Caller } from '../shell/command.ts';

/** A place where programs read. */
interface MachinePlace {
  readonly receiver: Receiver;
  readonly label: string;
}

/** The place that an operator has typed. Throws UserError where it is none that is posted to. */
export function machinePlace(used: readonly Platform[], text: string): MachinePlace {
  const machines = used.flatMap(({ name, machine }) => (machine === undefined ? [] : [{ name, machine }]));
  for (const { name, machine } of machines) {
    const address = machine.named(text);
    if (address !== undefined)
      return { receiver: { notifier: name, address }, label: machine.label(address) };
  }
  throw new UserError(
    machines.length === 0
      ? msg('No platform for programs is set up: see "platforms" in config/default.yaml.')
      : msg('That is no address to post to: give one like {examples}.', {
          examples: listOf(machines.map(({ machine }) => machine.example)),
        }),
  );
}

export interface AskElsewhere {
  readonly place: MachinePlace;
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
