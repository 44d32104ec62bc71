import { words } from '../../language/format.ts';
import type { Text } from '../../language/text.ts';

/** From where on the interface speaks of contango, and below its negative of backwardation, percent. */
export const basisLevel = 0.05;

/** The one word for a basis of so many percent, wherever it is told. */
export const basisWord = (pct: number): Text =>
  words(pct > basisLevel ? 'CONTANGO' : pct < -basisLevel ? 'BACKWARDATION' : 'FLAT');
