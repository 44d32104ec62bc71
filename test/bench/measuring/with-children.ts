import { readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second (USER_HZ). */
const ticksPerSecond = 100;

/**
 * Returns the seconds of processor time of a process, and of those it started that have ended or still run.
 * Linux only.
 */
export function processorWithChildren(pid: number): number {
  const used = (of: number) => {
    // After the name in brackets, which may hold anything: user and system time, then those of the ended children.
    const fields = text(`/proc/${of}/stat`)?.split(') ').at(-1)?.split(' ').slice(11, 15) ?? [];
    return fields.reduce((sum, ticks) => sum + Number(ticks) / ticksPerSecond, 0);
  };
  return [pid, ...childrenOf(pid)].reduce((sum, of) => sum + used(of), 0);
}

/** Returns the bytes of memory of a process. Linux only. */
export const memoryOf = (pid: number): number => sumOf(pid, /^Rss:\s+(\d+)/gm);

/** Returns the sum of those fields of a process's memory map, bytes. */
const sumOf = (pid: number, fields: RegExp): number =>
  [...(text(`/proc/${pid}/smaps_rollup`) ?? '').matchAll(fields)].reduce(
    (sum, [, kilobytes]) => sum + Number(kilobytes) * 1_024,
    0,
  );

const childrenOf = (pid: number): number[] =>
  (text(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);

/** Returns undefined for a process that has just ended. */
function text(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
