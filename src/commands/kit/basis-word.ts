import { words } from '../../language/format.ts';
import type { Text } from '../../language/text.ts';

/** Above this basis the data service speaks of contango, below its negative of backwardation, percent. */
export const basisLevel = 0.05;

/** Returns the word for a basis in percent, the same everywhere. */
export const basisWord = (pct: number): Text =>
  words(pct > basisLevel ? 'CONTANGO' : pct < -basisLevel ? 'BACKWARDATION' : 'FLAT');
