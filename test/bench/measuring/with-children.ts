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

/** Returns the bytes of memory of a process, and of those it started what it does not share with them. Linux only. */
export function memoryWithChildren(pid: number): number {
  const bytes = (of: number, field: RegExp) =>
    [...(text(`/proc/${of}/smaps_rollup`) ?? '').matchAll(field)].reduce(
      (sum, [, kilobytes]) => sum + Number(kilobytes) * 1_024,
      0,
    );
  return childrenOf(pid).reduce(
    (sum, child) => sum + bytes(child, /^Private_(?:Clean|Dirty):\s+(\d+)/gm),
    bytes(pid, /^Rss:\s+(\d+)/gm),
  );
}

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
