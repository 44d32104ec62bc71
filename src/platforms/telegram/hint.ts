import type { Receiver } from '../../alert/subscription.ts';
import { english, languageOf } from '../../language/languages.ts';
import type { Caller } from '../../shell/command.ts';

/** Who somebody is and what Telegram says of how to tell them: the language of their app, and no time zone. */
export const hint = (
  receiver: Receiver,
  user: { readonly id: number; readonly language_code?: string | undefined } | undefined,
): Pick<Caller, 'receiver' | 'person' | 'language' | 'timeZone' | 'slash'> => ({
  receiver,
  ...(user !== undefined && { person: `telegram:${user.id}` }),
  language: languageOf(user?.language_code ?? '') ?? english,
  timeZone: 'UTC',
  slash: true,
});
