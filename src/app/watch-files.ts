import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { createPatience } from '../runtime/patience.ts';
import { second } from '../runtime/units.ts';
import { isPlaceFile } from './config/place-files.ts';

/**
 * Wall ms between two looks. The file system's own notifications are not used: they do not reach every mount of a container
 * or of a network, and get lost when an editor or a ConfigMap replaces the file.
 */
const interval = 3 * second;

/** How long a look is waited for, wall ms: a disk in the network may never answer. */
const longestLook = 10 * second;

interface FileWatch {
  /** Must resolve before the files are read: what has changed until then is not reported any more. */
  note(): Promise<void>;
  start(): Pick<Loop, 'stop'>;
}

interface FileWatchOptions {
  /** Called at each look. A path that is new counts as a change. A file that does not exist may be named. */
  readonly paths: () => readonly string[];
  readonly changed: () => void;
  readonly wall: WallClock;
  /** Called for an error, and once when a look takes too long. */
  readonly onError: (error: unknown) => void;
  /** Returns a text that differs after each change at the path. */
  readonly stateOf?: (path: string) => Promise<string>;
}

/** Looks for the first time, and from the start on calls `changed` after a file, or a file of places in a folder, has changed and is the same in two looks: no write is under way. */
export async function watchFiles({
  paths,
  changed,
  wall,
  onError,
  stateOf = stateOfPath,
}: FileWatchOptions): Promise<FileWatch> {
  let known: string | undefined;
  let last: string | undefined;
  const stopping = new AbortController();
  const within = createPatience(wall, stopping.signal);
  let underWay: Promise<string> | undefined;
  let isLate = false;

  const statesOf = async (all: readonly string[]) => {
    const states: [string, string][] = [];
    for (const path of all) states.push([path, await stateOf(path)]);
    return JSON.stringify(states);
  };
  /** Returns the states; undefined if that takes too long. No other look begins before: each could hold a thread for good. */
  const look = async (): Promise<string | undefined> => {
    underWay ??= statesOf(paths()).finally(() => {
      underWay = undefined;
    });
    const found = await within(longestLook, underWay);
    if (found === undefined && !isLate && !stopping.signal.aborted)
      onError(new Error(`the files of the configuration do not answer for ${longestLook / second} s`));
    isLate = found === undefined;
    return found;
  };
  const note = async () => {
    // A look that is under way may have begun before the change.
    if (underWay !== undefined && (await look()) === undefined) return;
    known = (await look()) ?? known;
  };

  await note();
  return {
    note,
    start() {
      const loop = startLoop(
        async () => {
          const now = await look();
          if (now === undefined) return interval;
          known ??= now;
          const isSettled = now === last;
          last = now;
          if (isSettled && now !== known) {
            known = now;
            changed();
          }
          return interval;
        },
        { wall, onError },
      );
      return {
        stop() {
          stopping.abort();
          return loop.stop();
        },
      };
    },
  };
}

/** Returns a text that differs after each change of the file, or of a file of places in the folder. */
async function stateOfPath(path: string): Promise<string> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isDirectory()) return `${found.ino} ${found.size} ${found.mtimeNs}`;
    const states: [string, string][] = [];
    for (const name of (await readdir(path)).filter(isPlaceFile).sort())
      states.push([name, await stateOfPath(join(path, name))]);
    return JSON.stringify(states);
  } catch {
    return 'cannot be read';
  }
}
