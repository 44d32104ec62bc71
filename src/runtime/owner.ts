import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Where process ids mean the same: one run of one kernel, and within it one namespace of ids. Undefined where that is not
 * told (elsewhere than on Linux): containers may share a host's name and not its processes.
 */
function placeOfIds(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

const place = placeOfIds();

/** This process, whatever machine it is on. */
export const owner = [hostname(), process.pid, ...(place === undefined ? [] : [place])].join(' ');

/** Whether an owner is known to be no more: killed where this process can see it. One that merely stands still is there. */
export function isDead(other: string): boolean {
  const [, pid, ...where] = other.split(' ');
  if (place === undefined || where.join(' ') !== place || other === owner) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
