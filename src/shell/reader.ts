import { readerBy } from '../language/preferences.ts';
import type { Reader } from '../language/say.ts';
import type { Caller, CommandContext } from './command.ts';

/** Reads the preferences for answers: the person's own choice comes first, then the place's, then the platform's hint. */
export async function readerOf(
  caller: Pick<Caller, 'receiver' | 'person' | 'language' | 'timeZone' | 'slash' | 'answeredElsewhere'>,
  { preferences }: Pick<CommandContext['store'], 'preferences'>,
): Promise<Reader> {
  const { receiver, person, language, timeZone, slash, answeredElsewhere } = caller;
  const [own, place] = await Promise.all([
    person === undefined ? undefined : preferences.of(person),
    // The answer is read in another place, to which the choice of this place does not apply.
    answeredElsewhere === true ? undefined : preferences.of(receiver),
  ]);
  return readerBy(own, place, { language, timeZone, slash });
}
