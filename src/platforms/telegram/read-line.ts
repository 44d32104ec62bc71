/** A message to this bot, split into its parts. */
export interface Line {
  /** The command without slash and bot name, with hyphens in place of the underscores that Telegram's menus need. */
  readonly command: string;
  readonly rest: string;
  /** Whether the bot was named: `/help@tocsin_bot`. */
  readonly namesBot: boolean;
  readonly hasSlash: boolean;
}

const command = /^(\/?)([A-Za-z][\w-]*)(?:@(\w+))?(?:\s+([\s\S]*))?$/;

/** Whether the command is Telegram's own `/start`. Phones write the first word of a message with a capital. */
export const isStart = (name: string): boolean => name.toLowerCase() === 'start';

/** Reads a message. Undefined if the bot must not answer it: no command in a group, or a command for another bot. */
export function readLine(
  text: string,
  { username, isPrivate }: { username: string; isPrivate: boolean },
): Line | undefined {
  const trimmed = text.trim();
  const [, slash = '', name = '', bot, rest = ''] = command.exec(trimmed) ?? [];
  if (slash === '' && !isPrivate) return undefined;
  if (bot !== undefined && bot.toLowerCase() !== username.toLowerCase()) return undefined;
  // In a private chat any other text is answered too, if only with what can be asked.
  if (name === '')
    return isPrivate && trimmed !== ''
      ? { command: trimmed, rest: '', namesBot: false, hasSlash: false }
      : undefined;
  return {
    command: name.replaceAll('_', '-'),
    rest: rest.trim(),
    namesBot: bot !== undefined,
    hasSlash: slash !== '',
  };
}

/** Reads `@channel` or a chat's id before the inputs: the command is then about that chat. */
export function readTarget(rest: string): { readonly target: string; readonly rest: string } | undefined {
  const [, target, after = ''] = /^(@[A-Za-z]\w{3,31}|-100\d{6,15})(?:\s+([\s\S]*))?$/.exec(rest) ?? [];
  return target === undefined ? undefined : { target, rest: after };
}

/**
 * The commands that a link may run, by the link's first word. A person who follows a link has not read what it does, so none
 * of them changes anything: `sub` only shows what would be subscribed to, with a button that subscribes.
 */
const linkCommands = ['market', 'coin', 'funding', 'oi', 'liquidations', 'regime', 'help'];
const previewedCommands = new Map([['sub', 'subscribe']]);

/**
 * Reads the payload of a link: `/start sub_funding_BTCUSDT` → `subscribe funding BTCUSDT preview=yes`; undefined if a link may
 * not ask for it. Words are separated by `_`, because a link may contain only letters, digits, `_` and `-` (at most 64).
 */
export function readDeepLink(
  payload: string,
): { readonly command: string; readonly rest: string } | undefined {
  if (!/^[\w-]{1,64}$/.test(payload)) return undefined;
  const [first = '', ...words] = payload.split('_').filter((word) => word !== '');
  if (linkCommands.includes(first)) return { command: first, rest: words.join(' ') };
  const command = previewedCommands.get(first);
  return command === undefined ? undefined : { command, rest: joined(...words, 'preview=yes') };
}

export const joined = (...words: readonly string[]): string => words.filter((word) => word !== '').join(' ');
