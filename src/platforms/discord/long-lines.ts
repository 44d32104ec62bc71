import { createHash } from 'node:crypto';

/** Keeps the latest commands that are too long to be the id of a button. They are lost at a restart. */
export interface LongLines {
  /** Stores the command and returns the id for its button. */
  keep(line: string): string;
  find(id: string): string | undefined;
}

export const linePrefix = 'l:';

/** Maximum number of commands kept. A command with a list of a hundred markets takes 1 kB. */
const most = 500;

export function createLongLines(): LongLines {
  const kept = new Map<string, string>();
  return {
    keep(line) {
      const id = `${linePrefix}${createHash('sha256').update(line).digest('base64url').slice(0, 22)}`;
      kept.delete(id);
      kept.set(id, line);
      const [oldest] = kept.keys();
      if (kept.size > most && oldest !== undefined) kept.delete(oldest);
      return id;
    },
    find: (id) => kept.get(id),
  };
}
