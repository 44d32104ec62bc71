import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../runtime/errors.ts';

/** ISO 639 code of a language that has a catalogue, such as `es`. */
export type Language = string;

/** The language of the messages that are the keys of all catalogues. It is used where a translation is missing. */
export const english: Language = 'en';

/** Key → text. An empty text is not translated yet and is left out. */
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
  name: z.string().min(1),
  /** Who translated it, if no person did: said where the language is chosen. */
  translated: z.literal('machine').optional(),
  /** Locale in which numbers and lists are written. */
  locale,
  /** Locale in which dates are written, if it is another. */
  dates: locale.optional(),
  /** Days, hours, minutes and seconds, each with `#` for its number. */
  units: z
    .strictObject({ d: z.string(), h: z.string(), min: z.string(), s: z.string() })
    .default({ d: '# d', h: '# h', min: '# min', s: '# s' }),
  /**
   * Short word for 10⁹, for a language in which Intl counts in thousands of millions: `mil M`, where Intl writes `1230
   * M`.
   */
  billions: z.string().optional(),
  /** Punctuation after which the next sentence follows without a space. */
  noSpaceAfter: z.string().default(''),
  /** IANA zone → its common name in this language, where Intl only has a name such as `GMT+8`. */
  zones: texts,
  /** Fonts with which charts draw a script that Inter lacks: files of src/chart/fonts. */
  fonts: z.strictObject({ script, regular: z.string(), bold: z.string() }).optional(),
});

/**
 * Names of commands, their inputs and their actions in menus that translate names. A typed command may also use the
 * translated name; a line that the bot writes has the English name. Names have the form that Discord requires: one word
 * of at most 32 characters, in lower case, unique within one menu.
 */
const menu = z.strictObject({ actions: texts, commands: texts, inputs: texts });

const catalogue = z.strictObject({
  about,
  /** Labels of the contract and of this program, as they stand within a sentence. */
  labels: texts,
  menu: menu.prefault({}),
  /** Other words that people may type for a command, or for `above` and `below`, separated by spaces. */
  typed: texts.transform(
    (all) => new Map([...all].map(([name, words]) => [name, words.toLowerCase().split(/\s+/)])),
  ),
  /**
   * What words mean in the sentence of an own alert, `phrase | phrase` by meaning (src/rules/sentence/words.ts). Sentences may mix
   * languages: traders do.
   */
  sentence: texts,
  /** English ICU message, after `context|` if it has a context → the message in this language. */
  messages: texts,
});

/** Everything about a language: its words, and how it writes numbers, dates, lengths of time and sentences. */
export type Catalogue = z.output<typeof catalogue>;
export type MenuNames = Catalogue['menu'];

/**
 * Reads every catalogue of a folder: `es.json` is Spanish.
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

/** Returns undefined if the text is not JSON; no schema accepts undefined. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
