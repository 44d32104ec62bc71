import { createHash } from 'node:crypto';

/** Commands too long for the id of a button, the latest of them; after a restart they are to be typed. */
export interface LongLines {
  /** Its button's id. */
  keep(line: string): string;
  find(id: string): string | undefined;
}

export const linePrefix = 'l:';

/** A list of a hundred markets weighs 1 kB. */
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
