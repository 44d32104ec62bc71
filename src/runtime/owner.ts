import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Returns the scope in which process ids are unique: one boot of one kernel, and within it one PID namespace. Undefined
 * if it cannot be read (on systems other than Linux). The host's name is not enough: containers may share it and not
 * their processes.
 */
function readPidScope(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

const pidScope = readPidScope();

/** Identifies this process among the processes of all machines. */
export const owner = [hostname(), process.pid, ...(pidScope === undefined ? [] : [pidScope])].join(' ');

/**
 * Returns whether an owner is known to be dead: a process on this machine that no longer exists. A process that merely
 * hangs is not dead.
 */
export function isDead(other: string): boolean {
  const [, pid, ...where] = other.split(' ');
  if (pidScope === undefined || where.join(' ') !== pidScope || other === owner) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
