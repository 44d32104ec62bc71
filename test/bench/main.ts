/**
 * `npm run bench` lists the benches. `npm run bench -- NAME… [-- arguments]` runs the named ones, `npm run bench -- NAME -- PART` a
 * part, and `npm run bench -- all` every bench that takes less than two minutes. The raw results are stored in data/bench;
 * docs/measured.md has a row for each promise.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeReports } from './measuring/figures.ts';
import { keepRun, runHere } from './measuring/runs.ts';

/** A bench is a file beside this one; a part of it, in the folder of its name, is one as well. */
interface Bench {
  /** Prints the figures; sets process.exitCode to 1 if a bound is missed. */
  default(args: string[]): void | Promise<void>;
  /** The bench takes more than two minutes, needs something, or has no bounds, so `all` does not run it. */
  readonly slow?: boolean;
}

const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const [wanted, args] = [given.slice(0, end), given.slice(end + 1)];

const names = (await readdir(import.meta.dirname))
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.filename))
  .map((file) => basename(file, '.ts'))
  .sort();
const benchOf = (name: string): Promise<Bench> =>
  import(pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href);
/** Returns the bench, or the part of it that the first argument names, with its arguments and the name of its results. */
async function chosen(name: string): Promise<Bench & { readonly own: string[]; readonly stored: string }> {
  const whole = { ...(await benchOf(name)), own: args, stored: name };
  const [part = '', ...own] = args;
  if (!existsSync(join(import.meta.dirname, name, `${part}.ts`))) return whole;
  const found: Partial<Bench> = await benchOf(`${name}/${part}`);
  return { ...whole, ...(found.default && { default: found.default, own, stored: `${name}-${part}` }) };
}

if (wanted.length === 0) {
  for (const name of names) {
    const { slow = false } = await benchOf(name);
    console.log(`${name.padEnd(18)}${slow ? '' : 'all'}`);
  }
  console.log('\nnpm run bench -- NAME… [-- arguments]; npm run bench -- all runs those marked so');
  process.exit();
}
const unknown = wanted.filter((name) => name !== 'all' && !names.includes(name));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(', ')}. There are: ${names.join(', ')}`);
  process.exit(64);
}

for (const name of wanted.includes('all') ? names : wanted) {
  const bench = await chosen(name);
  if (wanted.includes('all') && bench.slow === true) continue;
  const [here, begun] = [runHere(), performance.now()];
  try {
    await bench.default(bench.own);
    const [reports, took] = [takeReports(), Math.round((performance.now() - begun) / 1_000)];
    const command = ['npm run bench --', name, ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
    if (reports.length > 0)
      console.log(`stored in ${keepRun(bench.stored, { command, ...here, took, reports })}`);
  } catch (error) {
    takeReports();
    console.error(`\n${name} failed:`, error);
    process.exitCode = 1;
  }
}
// Something that a bench left running must not keep this process alive.
process.exit();
