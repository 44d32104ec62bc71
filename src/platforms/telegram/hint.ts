import type { Receiver } from '../../alert/subscription.ts';
import { english, languageOf } from '../../language/languages.ts';
import type { Caller } from '../../shell/command.ts';

/** Returns what Telegram tells about a user: their id and the language of their app. It tells no time zone, so UTC is used. */
export const callerDetails = (
  receiver: Receiver,
  user: { readonly id: number; readonly language_code?: string | undefined } | undefined,
): Pick<Caller, 'receiver' | 'person' | 'language' | 'timeZone' | 'slash'> => ({
  receiver,
  ...(user !== undefined && { person: `telegram:${user.id}` }),
  language: languageOf(user?.language_code ?? '') ?? english,
  timeZone: 'UTC',
  slash: true,
});
