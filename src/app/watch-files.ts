import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { second } from '../runtime/units.ts';
import { isPlaceFile } from './config/place-files.ts';

/**
 * Wall ms between two looks. The file system's own notifications are not used: they do not reach every mount of a container
 * or of a network, and get lost when an editor or a ConfigMap replaces the file.
 */
const interval = 3 * second;

interface FileWatch {
  /** Must be called before the files are read: what has changed until then is not reported any more. */
  note(): void;
  /** Starts to look. */
  start(): Pick<Loop, 'stop'>;
}

/** Calls `changed` after a file, or a file of places in a folder, has changed and is the same in two looks: no write is under way. */
export function watchFiles({
  paths,
  changed,
  wall,
  onError,
}: {
  /** Called at each look. A path that is new counts as a change. A file that does not exist may be named. */
  readonly paths: () => readonly string[];
  readonly changed: () => void;
  readonly wall: WallClock;
  readonly onError: (error: unknown) => void;
}): FileWatch {
  const look = () => JSON.stringify(paths().map((path) => [path, stateOf(path)]));
  let known = look();
  let last = known;
  return {
    note() {
      known = look();
    },
    start: () =>
      startLoop(
        async () => {
          const now = look();
          const isSettled = now === last;
          last = now;
          if (isSettled && now !== known) {
            known = now;
            changed();
          }
          return interval;
        },
        { wall, onError },
      ),
  };
}

/** Returns a text that differs after each change of the file, or of a file of places in the folder. */
function stateOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true });
    if (!found.isDirectory()) return `${found.ino} ${found.size} ${found.mtimeNs}`;
    const names = readdirSync(path).filter(isPlaceFile).sort();
    return JSON.stringify(names.map((name) => [name, stateOf(join(path, name))]));
  } catch {
    return 'cannot be read';
  }
}
