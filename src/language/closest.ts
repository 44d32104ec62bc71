import { msg, type Text } from './text.ts';

/**
 * Returns the optimal string alignment distance: the number of insertions, deletions, replacements and swaps of
 * neighbours. Both texts are cut at 40 characters: no name that people may type here is longer.
 */
export function distance(left: string, right: string): number {
  const a = left.slice(0, 40);
  const b = right.slice(0, 40);
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (lastRow[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (lastRow[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (rowBeforeLast[column - 2] ?? 0) + 1);
      }
      next.push(best);
    }
    rowBeforeLast = lastRow;
    lastRow = next;
  }
  return lastRow[b.length] ?? 0;
}

/** Returns how far a candidate may be from the typed text and still be suggested. */
const tolerance = (text: string): number => (text.length <= 3 ? 1 : text.length <= 7 ? 2 : 3);

/**
 * Returns the candidates that may be meant, best first: an equal one, then those that begin with the text, those that
 * contain it after a separator, those that contain it anywhere, and misspellings; ties in the given order. Case is
 * ignored. An empty text matches all candidates.
 */
export function rank(
  text: string,
  candidates: readonly string[],
  limit: number = candidates.length,
): string[] {
  const typed = text.toLowerCase();
  return candidates
    .map((candidate) => ({ candidate, score: score(typed, candidate.toLowerCase()) }))
    .filter(({ score }) => score < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.score - b.score)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

function score(typed: string, candidate: string): number {
  if (typed === '' || candidate === typed) return 0;
  if (candidate.startsWith(typed)) return 1;
  const at = candidate.indexOf(typed);
  const inWord = /[\p{L}\p{N}]$/u.test(candidate.slice(0, Math.max(0, at)));
  // A single letter occurs in almost every name, so it counts only after a separator.
  if (at > 0 && (typed.length > 1 || !inWord)) return inWord ? 3 : 2;
  if (Math.abs(candidate.length - typed.length) > 3) return Number.POSITIVE_INFINITY;
  const edits = distance(typed, candidate);
  return edits <= tolerance(typed) && edits < typed.length ? 3 + edits : Number.POSITIVE_INFINITY;
}

/** Returns `Did you mean a, b or c?`, or undefined if there is no suggestion. */
export function didYouMean(suggestions: readonly Text[]): Text | undefined {
  const [a, b, c] = suggestions;
  if (a === undefined) return undefined;
  if (b === undefined) return msg('Did you mean {a}?', { a });
  return c === undefined
    ? msg('Did you mean {a} or {b}?', { a, b })
    : msg('Did you mean {a}, {b} or {c}?', { a, b, c });
}

/** Quotes what a person typed, shortened to 40 characters. */
export const quoted = (text: string): string => `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
