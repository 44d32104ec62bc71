import type { AlertStatus, Chart, Fact, Severity } from '../alert/alert.ts';
import type { Reader } from '../language/say.ts';
import type { Text } from '../language/text.ts';

/**
 * An answer or an alert before it belongs to a platform. Renderers take a `Card<string>`, said in its reader's
 * language; its texts are plain, and they escape them.
 */
export interface Card<Words extends Text = Text> {
  readonly title: Words;
  /** Where the title leads, on platforms that have links. */
  readonly url?: string;
  readonly summary?: Words;
  /** Gives the colour; absent on plain answers. */
  readonly severity?: Severity;
  readonly status?: AlertStatus;
  readonly facts?: readonly Fact<Words>[];
  readonly table?: {
    readonly columns: readonly Words[];
    readonly rows: readonly (readonly Words[])[];
    /** Of the actions, the command that is about each row, in their order: where buttons can stand beside rows. */
    readonly commands?: readonly string[];
  };
  readonly chart?: Chart<Words>;
  /** Offered as buttons, or as commands to type where there are none. */
  readonly actions?: readonly CardAction<Words>[];
  /** Comes with it, for programs and for `import`. */
  readonly file?: { readonly name: string; readonly text: string };
  /** Concerns its asker alone, as what went wrong does: where a platform can, nobody else sees it. */
  readonly forAsker?: true;
  /** To be read in every app, also where the chat has chosen what some of them cannot show: the way back from that choice. */
  readonly plain?: true;
  /** Market time of the data, ms. */
  readonly dataTime?: number;
  /** "simulated, 240 ×", "recorded", "live": shown on every card. */
  readonly source?: Words;
  /** Moments on it, market ms, by how they are written there: where a platform can, each reader is told in their own zone. */
  readonly times?: ReadonlyMap<string, number>;
  /** Whom it was said to: renderers write what they add for the same. */
  readonly reader?: Reader;
}

export interface CardAction<Words extends Text = Text> {
  readonly label: Words;
  readonly command: string;
  /** What the card leads to, or what takes something away: another colour where buttons have one. */
  readonly weight?: 'main' | 'danger';
}

/** What a person is told at once. */
export interface Answer<Words extends Text = Text> extends Card<Words> {
  /** The same with what takes longer, to be shown in its place: never rejects, nothing where the first stays as it is. */
  readonly later?: Promise<Card<Words> | undefined>;
}
