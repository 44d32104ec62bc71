import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../runtime/errors.ts';

/** ISO 639 code of a language that has a catalogue: `es`. */
export type Language = string;

/** Whose messages are the keys of all catalogues, and what is said where a translation is missing. */
export const english: Language = 'en';

/** Key → text. One that is empty is not translated yet. */
const texts = z
  .record(z.string(), z.string())
  .default({})
  .transform((all) => new Map(Object.entries(all).filter(([, text]) => text !== '')));

const locale = z.string().refine((tag) => {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}, 'must be a BCP 47 locale that Node.js knows, such as es-ES');

const script = z
  .string()
  .regex(/^[A-Za-z_]+$/)
  .transform((name, context) => {
    try {
      return new RegExp(`\\p{Script=${name}}`, 'u');
    } catch {
      context.addIssue('must be a Unicode script, such as Han');
      return z.NEVER;
    }
  });

const about = z.strictObject({
  /** As those who speak it call it. */
  name: z.string().min(1),
  /** How numbers and lists are written. */
  locale,
  /** How dates are written, where that is not the same. */
  dates: locale.optional(),
  /** Days, hours, minutes and seconds, each with `#` for its number. */
  units: z
    .strictObject({ d: z.string(), h: z.string(), min: z.string(), s: z.string() })
    .default({ d: '# d', h: '# h', min: '# min', s: '# s' }),
  /** What 10⁹ is called in short where Intl counts thousands of millions: `mil M`, for its `1230 M`. */
  billions: z.string().optional(),
  /** Punctuation that the next sentence follows without a space. */
  noSpaceAfter: z.string().default(''),
  /** IANA zone → what those who live by it call it, where Intl says no more than `GMT+8`. */
  zones: texts,
  /** What charts draw a script with that Inter lacks: files of src/chart/fonts. */
  fonts: z.strictObject({ script, regular: z.string(), bold: z.string() }).optional(),
});

/**
 * What commands, their inputs and their actions are called in menus that translate names. A command is understood by
 * it where it is typed, too; a line that the bot writes keeps the English name. Each as Discord takes it: one word of
 * at most 32 characters, in lower case, no two alike in one menu.
 */
const menu = z.strictObject({ actions: texts, commands: texts, inputs: texts });

const catalogue = z.strictObject({
  about,
  /** Labels of the contract and of ours, as within a sentence. */
  labels: texts,
  menu: menu.prefault({}),
  /** Words that people type for a command, or for `above` and `below`, besides its name; a space between them. */
  typed: texts.transform(
    (all) => new Map([...all].map(([name, words]) => [name, words.toLowerCase().split(/\s+/)])),
  ),
  /** ICU message in English, after `context|` where it has one → in this language. */
  messages: texts,
});

/** All that a language needs: its words, and how it writes numbers, dates, lengths of time and sentences. */
export type Catalogue = z.output<typeof catalogue>;
export type MenuNames = Catalogue['menu'];

/**
 * Every catalogue of a folder: `es.json` is Spanish.
 * @throws ConfigError with what is wrong in each file
 */
export function readCatalogues(folder: string): ReadonlyMap<Language, Catalogue> {
  const problems: string[] = [];
  const all = new Map<Language, Catalogue>();
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.json')) continue;
    const path = join(folder, file);
    const language = basename(file, '.json');
    const read = catalogue.safeParse(json(readFileSync(path, 'utf8')));
    if (!/^[a-z]{2,3}$/.test(language))
      problems.push(`${path}: name it by the ISO 639 code of its language, such as es.json`);
    else if (read.success) all.set(language, read.data);
    else problems.push(`${path}: ${z.prettifyError(read.error)}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return all;
}

/** Undefined where it is none, which no schema takes. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
