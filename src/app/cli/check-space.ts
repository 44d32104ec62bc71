import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { CheckFinding } from './check.ts';

/** Returns the bytes that this user may still write in a folder. */
export type FreeBytes = (folder: string) => Promise<number>;

/** Bytes that databases should have to grow: the whole past of 100 pairs takes 290 MB in the archive. */
const enough = 500_000_000;

/** Warns if the disk of a SQLite database is nearly full. A start is possible until it is full. */
export async function checkSpace(
  { database, data: { url, embedded } }: Config,
  free: FreeBytes = freeBytes,
): Promise<CheckFinding[]> {
  const urls = url === null ? [database, embedded.archive] : [database];
  const files = urls.filter((each) => each.startsWith('file:') && each !== 'file::memory:');
  const places = new Set(files.map((each) => existingPlace(each.slice('file:'.length))));
  return Promise.all(
    [...places].map(async (place) => {
      const bytes = await free(place);
      const what = `the space for databases in ${place}`;
      if (bytes >= enough) return { what, problem: null };
      const warning = `${Math.floor(bytes / 1_000_000)} MB are free: make more, as nothing is stored or sent while the disk is full`;
      return { what, problem: null, warning };
    }),
  );
}

/** Returns the nearest folder of a file that exists already. */
function existingPlace(file: string): string {
  let place = dirname(resolve(file));
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return place;
}

const freeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};
