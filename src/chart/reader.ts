import type { Digits } from '../language/digits.ts';
import type { Text } from '../language/text.ts';

/** In whose words a chart is written: the same on the server and on the page. */
export interface ChartReader {
  say(text: Text): string;
  readonly digits: Digits;
  /** BCP 47: whose dates it has. */
  readonly dates: string;
  /** IANA name. */
  readonly timeZone: string;
}
