import { existsSync, renameSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import type { End, FileFault } from './plan.ts';

/** What belongs to a SQLite database in the file `path`. */
const filesOf = (path: string): string[] => ['', '-wal', '-shm'].map((end) => `${path}${end}`);

const ballast = 'ballast of the chaos test ';
const garbage = 32_768;
const pageSize = 4_096;

/** Adds a table that nobody uses to a database file: its pages can be damaged, and mended, without any loss. */
export function layBallast(path: string): void {
  using database = new DatabaseSync(path);
  database.exec(`create table ballast (text text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
      insert into ballast select '${ballast.repeat(20)}' || i from n;
    pragma wal_checkpoint(truncate);`);
}

/** Returns where 32 kB of the ballast are in the file: the first run of whole pages with nothing else in them. */
async function placeOfBallast(path: string): Promise<number> {
  const bytes = await readFile(path);
  const isBallast = (page: number) =>
    bytes.subarray(page * pageSize, (page + 1) * pageSize).includes(ballast);
  const [all, wanted] = [bytes.length / pageSize, garbage / pageSize];
  for (let first = 1; first + wanted <= all; first++)
    if (Array.from({ length: wanted }, (_, index) => isBallast(first + index)).every(Boolean))
      return first * pageSize;
  throw new Error('the file has no ballast');
}

/** Makes a SQLite database's files fail on request. None begins while the files are away. */
export function afflictableFiles(path: string) {
  let away = false;
  const elsewhere = filesOf(`${path}.away`);
  const move = (from: readonly string[], to: readonly string[]) => {
    for (const [index, file] of from.entries()) if (existsSync(file)) renameSync(file, to[index] as string);
  };

  function takeAway(isReplaced: boolean): End {
    away = true;
    move(filesOf(path), elsewhere);
    if (isReplaced) {
      using other = new DatabaseSync(path);
      other.exec('create table other (id integer)');
    }
    return () => {
      for (const file of filesOf(path)) rmSync(file, { force: true });
      move(elsewhere, filesOf(path));
      away = false;
    };
  }

  async function damage(): Promise<End> {
    const place = await placeOfBallast(path);
    // Kept open: the file may be elsewhere by then.
    const file = await open(path, 'r+');
    const { buffer: before } = await file.read(Buffer.alloc(garbage), 0, garbage, place);
    await file.write(Buffer.alloc(garbage, 0xa5), 0, garbage, place);
    return async () => {
      await file.write(before, 0, garbage, place);
      await file.close();
    };
  }

  return {
    /** Whether a process that starts would find another database, or none. */
    isAway: () => away,
    begin(how: FileFault): Promise<End> | End | undefined {
      if (away) return undefined;
      return how === 'damaged' ? damage() : takeAway(how === 'replaced');
    },
  };
}
