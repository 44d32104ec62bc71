/** What somebody wrote, as far as it concerns this bot. */
export interface Line {
  /** Without slash and bot name; hyphens for the underscores that Telegram's menus need. */
  readonly command: string;
  readonly rest: string;
  /** Whether the bot was named: `/help@tocsin_bot`. */
  readonly addressed: boolean;
  readonly slash: boolean;
}

const command = /^(\/?)([A-Za-z][\w-]*)(?:@(\w+))?(?:\s+([\s\S]*))?$/;

/** Undefined where it is nothing to answer: no command in a group, or another bot's. */
export function readLine(
  text: string,
  { username, isPrivate }: { username: string; isPrivate: boolean },
): Line | undefined {
  const trimmed = text.trim();
  const [, slash = '', name = '', bot, rest = ''] = command.exec(trimmed) ?? [];
  if (slash === '' && !isPrivate) return undefined;
  if (bot !== undefined && bot.toLowerCase() !== username.toLowerCase()) return undefined;
  // Anything else a person writes in private is answered too, be it with what can be asked.
  if (name === '')
    return isPrivate && trimmed !== ''
      ? { command: trimmed, rest: '', addressed: false, slash: false }
      : undefined;
  return {
    command: name.replaceAll('_', '-'),
    rest: rest.trim(),
    addressed: bot !== undefined,
    slash: slash !== '',
  };
}

/** `@channel` or a chat's id before the inputs: what is asked is about that chat. */
export function readTarget(rest: string): { readonly target: string; readonly rest: string } | undefined {
  const [, target, after = ''] = /^(@[A-Za-z]\w{3,31}|-100\d{6,15})(?:\s+([\s\S]*))?$/.exec(rest) ?? [];
  return target === undefined ? undefined : { target, rest: after };
}

/**
 * What a link may ask, by its first word. Whoever follows one has not read what it does: nothing here changes
 * anything, and `sub` only shows what would be subscribed to, with a button that does it.
 */
const asked = ['market', 'coin', 'funding', 'oi', 'liquidations', 'regime', 'help'];
const previewed = new Map([['sub', 'subscribe']]);

/**
 * `/start sub_funding_BTCUSDT` → `subscribe funding BTCUSDT preview=yes`; undefined where a link may not ask it. Words
 * are separated by `_`, as a link may hold nothing but letters, digits, `_` and `-` (at most 64).
 */
export function readDeepLink(
  payload: string,
): { readonly command: string; readonly rest: string } | undefined {
  if (!/^[\w-]{1,64}$/.test(payload)) return undefined;
  const [first = '', ...words] = payload.split('_').filter((word) => word !== '');
  if (asked.includes(first)) return { command: first, rest: words.join(' ') };
  const command = previewed.get(first);
  return command === undefined ? undefined : { command, rest: joined(...words, 'preview=yes') };
}

export const joined = (...words: readonly string[]): string => words.filter((word) => word !== '').join(' ');
