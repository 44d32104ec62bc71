import { words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';

/**
 * Returns where values come from, as every card says it: `simulated, 240 ×`, `live, Hyperliquid`. A speed of 1 is not
 * written.
 */
export const sourceLine = ({
  source,
  speed,
  venue,
}: {
  readonly source: string;
  readonly speed: number;
  /** The venue's name as people read it. */
  readonly venue?: string | undefined;
}): Text =>
  speed === 1
    ? venue === undefined
      ? words(source)
      : msg('{source}, {venue}', { source: words(source), venue })
    : msg('{source}, {speed} ×', {
        source: words(source),
        speed: { number: speed, as: { maximumFractionDigits: 1 } },
      });
