import type { Digits } from '../language/digits.ts';
import type { Text } from '../language/text.ts';

/** How a chart is written for its reader, on the server and on the page alike. */
export interface ChartReader {
  say(text: Text): string;
  readonly digits: Digits;
  /** The BCP 47 locale in which dates are written. */
  readonly dates: string;
  /** The IANA name of the reader's time zone. */
  readonly timeZone: string;
}
