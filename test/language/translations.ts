/**
 * `npm run translations`: lists for each language what is not translated and what is not used any more, and adds what is
 * missing to its catalogue, empty. Untranslated texts appear in English.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { english } from '#src/language/languages.ts';
import { complete, type Raw, written } from './complete.ts';
import { messages, named } from './said.ts';

const folder = resolve(import.meta.dirname, '../../src/language/catalogues');
const all = readdirSync(folder).map((file) => {
  const path = join(folder, file);
  return { language: file.replace('.json', ''), path, given: JSON.parse(readFileSync(path, 'utf8')) as Raw };
});
/** A label that one language has may be translated in every language. */
const labels = [...new Set(all.flatMap(({ given }) => Object.keys(given.labels ?? {})))];

for (const { language, path, given } of all) {
  const wanted = language === english ? {} : { labels, menu: named, messages };
  const { catalogue, missing, unused } = complete(given, wanted);
  writeFileSync(path, written(catalogue));
  const where = relative(process.cwd(), path);
  if (missing.length + unused.length === 0) console.log(`${where}: complete`);
  if (missing.length > 0)
    console.log(
      [`${where}: ${missing.length} to translate, said in English meanwhile`, ...missing].join('\n  '),
    );
  if (unused.length > 0)
    console.log([`${where}: ${unused.length} that nobody says; delete them`, ...unused].join('\n  '));
}
