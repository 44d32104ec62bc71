import { readerBy } from '../language/preferences.ts';
import type { Reader } from '../language/say.ts';
import type { Caller, CommandContext } from './command.ts';

/** How the caller is told: as they have chosen themselves, else as their place has, else as their platform hints. */
export async function readerOf(
  caller: Pick<Caller, 'receiver' | 'person' | 'language' | 'timeZone' | 'slash' | 'answeredElsewhere'>,
  { preferences }: Pick<CommandContext['store'], 'preferences'>,
): Promise<Reader> {
  const { receiver, person, language, timeZone, slash, answeredElsewhere } = caller;
  const [own, place] = await Promise.all([
    person === undefined ? undefined : preferences.of(person),
    // Another place's choice says nothing about the one where the answer is read.
    answeredElsewhere === true ? undefined : preferences.of(receiver),
  ]);
  return readerBy(own, place, { language, timeZone, ...(slash !== undefined && { slash }) });
}
