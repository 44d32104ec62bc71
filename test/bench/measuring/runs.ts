/** The raw results of the benches, which stay on the machine that measured them; docs/measured.md states what they came to. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Report } from './figures.ts';

/** One run of a bench. */
export interface Run {
  /** The command that repeats the run. */
  readonly command: string;
  /** ISO date. */
  readonly date: string;
  /** Commit of the repository, with `+` if there were uncommitted changes. */
  readonly commit: string;
  readonly machine: { readonly cores: number; readonly model: string; readonly node: string };
  /** Mean load of the machine over a minute, when the run began. */
  readonly load: number;
  /** Wall seconds. */
  readonly took: number;
  readonly reports: readonly Report[];
}

const folder = join(import.meta.dirname, '../../../data/bench');

/** Stores a run as the bench's last one. Returns the file. */
export function keepRun(name: string, run: Run): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
  return file;
}

/** Returns the date, commit, machine and load for a run that begins now. */
export function runHere(): Omit<Run, 'command' | 'reports' | 'took'> {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
  const [{ model = 'unknown' } = {}, ...otherCores] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`,
    machine: { cores: otherCores.length + 1, model: model.trim(), node: process.versions.node },
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}
