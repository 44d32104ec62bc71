/** What the benches measured last, as docs/measured.json keeps it, and the tables that docs/measured.md shows of it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { type Figure, isKept, limitText, type Report, valueText } from './figures.ts';

/** One bench as it ran last. */
export interface Run {
  /** As it is started again. */
  readonly command: string;
  /** ISO date. */
  readonly date: string;
  /** Of the repository, with `+` where it had changes. */
  readonly commit: string;
  readonly machine: { readonly cores: number; readonly model: string; readonly node: string };
  /** Of the machine, over a minute, as it began. */
  readonly load: number;
  readonly reports: readonly Report[];
}

export type Runs = Readonly<Record<string, Run>>;

const docs = join(import.meta.dirname, '../../../docs');
export const data = join(docs, 'measured.json');
export const page = join(docs, 'measured.md');

const markers = {
  begin: '<!-- begin: written by `npm run bench` out of measured.json -->',
  end: '<!-- end -->',
};

export const readRuns = (): Runs => JSON.parse(readFileSync(data, 'utf8'));

/** Keeps a run in the place of the bench's last one, and writes the page's tables anew. */
export function keepRun(name: string, run: Run): void {
  const runs = { ...readRuns(), [name]: run };
  const sorted = Object.fromEntries(Object.entries(runs).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(data, `${JSON.stringify(sorted, null, 2)}\n`);
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), sorted));
}

/** The page with the tables of these runs between its markers, and all else as it is. */
export function withTables(text: string, runs: Runs): string {
  const [before, after] = [text.indexOf(markers.begin), text.indexOf(markers.end)];
  if (before < 0 || after < before) throw new Error(`docs/measured.md lacks ${markers.begin}`);
  const tables = Object.entries(runs).map(([name, run]) => section(name, run));
  const inner = tables.length === 0 ? 'No bench has run since these tables are kept.\n' : tables.join('\n');
  return `${text.slice(0, before)}${markers.begin}\n\n${inner}\n${text.slice(after)}`;
}

function section(name: string, { command, date, commit, machine, load, reports }: Run): string {
  const where = `${machine.cores} cores (${machine.model}), Node.js ${machine.node}, load ${load.toFixed(1)}`;
  const head = `**${name}** (\`${command}\`; ${date}, ${commit}, ${where})\n`;
  return [head, ...reports.map(table)].join('\n');
}

function table({ title, figures }: Report): string {
  const rows = figures.map((figure) => `| ${cells(figure).map(escaped).join(' | ')} |`);
  return `| ${escaped(title)} | measured | bound | of the baseline |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function cells(figure: Figure): string[] {
  const { name, value, unit, bound, baseline } = figure;
  const missed = isKept(figure) ? '' : ', **missed**';
  return [
    name,
    `${valueText(value)} ${unit}`.trim(),
    bound === undefined ? '' : `${limitText(bound)} ${unit}`.trim() + missed,
    baseline === undefined ? '' : `${valueText((100 * value) / baseline.value)} % of ${baseline.name}`,
  ];
}

const escaped = (text: string): string => text.replaceAll('|', '\\|');

/** Where and of what a bench begins to measure now. */
export function runHere(): Omit<Run, 'command' | 'reports'> {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
  const [{ model = 'unknown' } = {}, ...others] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`,
    machine: { cores: others.length + 1, model: model.trim(), node: process.versions.node },
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}
