import { words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';

/** Where values come from, as every card says it: `simulated, 240 ×`; without a speed of 1. */
export const sourceLine = (source: string, speed: number): Text =>
  speed === 1
    ? words(source)
    : msg('{source}, {speed} ×', {
        source: words(source),
        speed: { number: speed, as: { maximumFractionDigits: 1 } },
      });
