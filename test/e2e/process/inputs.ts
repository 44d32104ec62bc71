/** An option of a slash command as it was registered with Discord. */
export interface SlashOption {
  readonly type: number;
  readonly name: string;
  readonly required?: boolean;
  readonly autocomplete?: boolean;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
  readonly min_value?: number;
  readonly max_value?: number;
  readonly options?: readonly SlashOption[];
}

export interface SlashCommand {
  readonly name: string;
  readonly options?: readonly SlashOption[];
}

/** A command that can be asked: one without subcommands, or one of its subcommands. */
export interface Question {
  /** The command's name and, where there are any, those of its group and subcommand. */
  readonly path: readonly [string, ...string[]];
  readonly options: readonly SlashOption[];
}

const isSubcommand = ({ type }: SlashOption): boolean => type === 1 || type === 2;

export const questionsOf = ({ name, options = [] }: SlashCommand): Question[] => unfold([name], options);

const unfold = (path: Question['path'], options: readonly SlashOption[]): Question[] =>
  options.some(isSubcommand)
    ? options.flatMap((each) => unfold([...path, each.name], each.options ?? []))
    : [{ path, options }];

export type Value = string | number | boolean;
export type Input = Readonly<Record<string, Value>>;

/** Texts that attackers and careless people send to bots. */
export const hostile = [
  '__proto__',
  '@everyone <@1> <@&2> <#3>',
  '</b><script>alert(1)</script>&lt;&#0;',
  '**`~~||> [x](javascript:alert(1))',
  "'; drop table subscription; --",
  '\u202e\u0000\u200b\ud83d\ude00\ufeff',
  '9'.repeat(400),
  'BTCUSDT,'.repeat(700),
  '([{<'.repeat(1_000),
  '{token} {0} %s $HOME ../../etc/passwd',
];

/** Numbers that make no sense as an input. */
const absurd = [-1, 0, 1e9, 2 ** 53, -(2 ** 53)];

const isNumber = ({ type }: SlashOption): boolean => type === 4 || type === 10;

const given = ({ options }: Question, value: (option: SlashOption) => Value | undefined): Input =>
  Object.fromEntries(
    options.flatMap((option) => {
      const one = value(option);
      return one === undefined ? [] : [[option.name, one]];
    }),
  );

/** Returns values as a person chooses them: the first of those offered. */
export const typical = (
  question: Question,
  offered: (option: SlashOption) => Value | undefined,
  all: boolean,
): Input =>
  given(question, (option) => {
    if (!all && option.required !== true) return undefined;
    const [choice] = option.choices ?? [];
    if (choice !== undefined) return choice.value;
    if (option.autocomplete === true) return offered(option);
    if (isNumber(option)) return Math.min(option.max_value ?? 10, 10);
    return option.type === 5 ? true : option.required === true ? 'all' : undefined;
  });

/** Returns inputs in which all are hostile, with the text of this number. */
export const hostileInput = (question: Question, index: number): Input =>
  given(question, (option) =>
    isNumber(option)
      ? (absurd[index % absurd.length] ?? 0)
      : option.type === 5
        ? index % 2 === 0
        : hostile[index % hostile.length],
  );
