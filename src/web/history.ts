/**
 * The lines that were typed before, the newest last. The line that is being typed is kept while the user walks through
 * them.
 */
interface LineHistory {
  add(line: string): void;
  back(current: string): string;
  forward(): string | undefined;
}

/** How many lines are kept. */
const maxLines = 100;

export function createHistory(): LineHistory {
  let lines: readonly string[] = [];
  let index = 0;
  let draft = '';
  return {
    add(line) {
      lines = [...lines.filter((other) => other !== line), line].slice(-maxLines);
      index = lines.length;
    },
    back(current) {
      if (index === lines.length) draft = current;
      index = Math.max(0, index - 1);
      return lines[index] ?? draft;
    },
    forward() {
      if (index === lines.length) return undefined;
      index += 1;
      return lines[index] ?? draft;
    },
  };
}
