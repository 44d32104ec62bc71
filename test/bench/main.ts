/**
 * `npm run bench -- [name…] [-- arguments]`: without a name, every bench that is done in a minute or two.
 * What they measure is kept in docs/measured.json, and docs/measured.md shows it.
 */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeReports } from './measuring/figures.ts';
import { keepRun, runHere } from './measuring/runs.ts';

/** A file beside this one. */
interface Bench {
  /** Prints its figures; sets process.exitCode to 1 where a bound is missed. */
  default(args: string[]): void | Promise<void>;
  /** Takes minutes, or measures nothing that is bounded: runs by its name alone. */
  readonly slow?: boolean;
}

const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const [wanted, args] = [given.slice(0, end), given.slice(end + 1)];

const names = (await readdir(import.meta.dirname))
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.filename))
  .map((file) => basename(file, '.ts'))
  .sort();
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}. There are: ${names.join(', ')}`);
  process.exit(64);
}

for (const name of wanted.length > 0 ? wanted : names) {
  const bench: Bench = await import(pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href);
  if (wanted.length === 0 && bench.slow === true) {
    console.log(`\n${name}: left out, it takes minutes: npm run bench -- ${name}`);
    continue;
  }
  const begun = runHere();
  try {
    await bench.default(args);
    const reports = takeReports();
    const command = ['npm run bench --', name, ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
    if (reports.length > 0) keepRun(name, { command, ...begun, reports });
  } catch (error) {
    console.error(`\n${name} failed:`, error);
    process.exitCode = 1;
  }
}
// What a bench left running must not keep the others' figures from being the last word.
process.exit();
