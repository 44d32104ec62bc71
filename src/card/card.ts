import type { AlertStatus, Chart, Fact, Severity } from '../alert/alert.ts';

/** An answer or an alert before it belongs to a platform. Text is plain: renderers escape it. */
export interface Card {
  readonly title: string;
  readonly summary?: string;
  /** Gives the colour; absent on plain answers. */
  readonly severity?: Severity;
  readonly status?: AlertStatus;
  readonly facts?: readonly Fact[];
  readonly table?: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
  readonly chart?: Chart;
  /** Offered as buttons, or as commands to type where there are none. */
  readonly actions?: readonly { readonly label: string; readonly command: string }[];
  /** Market time of the data, ms. */
  readonly dataTime?: number;
  /** "simulated, 240 ×", "recorded", "live": shown on every card. */
  readonly source?: string;
}
