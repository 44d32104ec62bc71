import { msg } from '../../language/text.ts';
import type { DirectionClaim } from '../detector.ts';

/** What is crowded is said to turn on those in it. @param label whose value ends with the crowded side */
export const againstTheCrowd = (label: string): DirectionClaim => ({
  of: ({ [label]: side }) => (side?.endsWith('SHORT') ? 'up' : 'down'),
  said: msg('against the crowded side'),
});
