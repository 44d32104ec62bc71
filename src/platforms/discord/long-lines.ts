import { createHash } from 'node:crypto';
import { RecentMap } from '../../runtime/recent-map.ts';

/** Keeps the latest commands that are too long to be the id of a button. They are lost at a restart. */
export interface LongLines {
  /** Stores the command and returns the id for its button. */
  keep(line: string): string;
  find(id: string): string | undefined;
}

export const linePrefix = 'l:';

/** Maximum number of commands kept. A command with a list of a hundred markets takes 1 kB. */
const maxLines = 500;

export function createLongLines(): LongLines {
  const lineById = new RecentMap<string, string>(maxLines);
  return {
    keep(line) {
      const id = `${linePrefix}${createHash('sha256').update(line).digest('base64url').slice(0, 22)}`;
      lineById.set(id, line);
      return id;
    },
    find: (id) => lineById.get(id),
  };
}
