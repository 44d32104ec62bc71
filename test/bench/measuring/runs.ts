/** The last results of the benches in docs/measured.json, and their tables in docs/measured.md. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { baselineText, type Figure, isKept, limitText, type Report, valueText } from './figures.ts';

/** The last run of one bench. */
export interface Run {
  /** The command that repeats the run. */
  readonly command: string;
  /** ISO date. */
  readonly date: string;
  /** Commit of the repository, with `+` if there were uncommitted changes. */
  readonly commit: string;
  /** Absent if it was not recorded. */
  readonly machine?: { readonly cores: number; readonly model: string; readonly node: string };
  /** Mean load of the machine over a minute, when the run began. */
  readonly load?: number;
  /** Wall seconds. */
  readonly took?: number;
  readonly reports: readonly Report[];
}

export type Runs = Readonly<Record<string, Run>>;

const docs = join(import.meta.dirname, '../../../docs');
export const data = join(docs, 'measured.json');
export const page = join(docs, 'measured.md');

/** The place of a bench's tables on the page, with prose around it. */
const place = /<!-- bench (\S+) -->\n[\s\S]*?<!-- end -->/g;

export const readRuns = (): Runs => JSON.parse(readFileSync(data, 'utf8'));

/** Stores a run as the bench's last one, and updates the tables of the page. */
export function keepRun(name: string, run: Run): void {
  const runs = { ...readRuns(), [name]: run };
  const sorted = Object.fromEntries(Object.entries(runs).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(data, `${JSON.stringify(sorted, null, 2)}\n`);
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), sorted));
}

/** Returns the page with the runs' tables in their places and its other text unchanged; tables without a place come last. */
export function withTables(text: string, runs: Runs): string {
  const placed = new Set<string>();
  const filled = text.replaceAll(place, (...[, name]: string[]) => {
    placed.add(name ?? '');
    return block(name ?? '', runs[name ?? '']);
  });
  const others = Object.entries(runs).filter(([name]) => !placed.has(name));
  return `${[filled.trimEnd(), ...others.map(([name, run]) => block(name, run))].join('\n\n')}\n`;
}

const block = (name: string, run: Run | undefined): string =>
  `<!-- bench ${name} -->\n\n${run === undefined ? 'Not measured yet.\n' : section(run)}\n<!-- end -->`;

function section({ command, date, commit, machine, load, took, reports }: Run): string {
  const facts = [
    `\`${command}\``,
    date,
    commit,
    machine && `${machine.cores} cores (${machine.model})`,
    machine && `Node.js ${machine.node}`,
    load !== undefined && `load ${load.toFixed(1)}`,
    took !== undefined && `${valueText(took)} s`,
  ];
  const head = `${facts.filter((fact) => typeof fact === 'string').join(', ')}\n`;
  return [head, ...reports.map(table)].join('\n');
}

function table({ title, figures }: Report): string {
  const rows = figures.map((figure) => `| ${cells(figure).map(escaped).join(' | ')} |`);
  return `| ${escaped(title)} | measured | bound | of the baseline |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function cells(figure: Figure): string[] {
  const { name, value, unit, bound } = figure;
  const missed = isKept(figure) ? '' : ', **missed**';
  return [
    name,
    `${valueText(value)} ${unit}`.trim(),
    bound === undefined ? '' : `${limitText(bound)} ${unit}`.trim() + missed,
    baselineText(figure),
  ];
}

const escaped = (text: string): string => text.replaceAll('|', '\\|');

/** Returns the date, commit, machine and load for a run that begins now. */
export function runHere(): Omit<Run, 'command' | 'reports' | 'took'> {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  // Changes of the results themselves do not change what is measured.
  const others = [':/', ':(top,exclude)docs/measured.json', ':(top,exclude)docs/measured.md'];
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', ...others) !== '';
  const [{ model = 'unknown' } = {}, ...otherCores] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`,
    machine: { cores: otherCores.length + 1, model: model.trim(), node: process.versions.node },
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}
