import type { AlertStatus, Chart, Fact, Severity } from '../alert/alert.ts';
import type { RefusalCode } from '../language/errors.ts';
import type { Reader } from '../language/say.ts';
import type { Text } from '../language/text.ts';

/** `ended`: over, and neither well nor badly: its data is missing, say, or its reader was not told of its beginning. */
type CardStatus = AlertStatus | 'ended';

export interface PlainTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/**
 * An answer or an alert before it belongs to a platform. Renderers get a `Card<string>`, whose texts are in its
 * reader's language. Texts are plain: renderers escape them.
 */
export interface Card<Words extends Text = Text> {
  readonly title: Words;
  /** The link of the title, on platforms that have links. */
  readonly url?: string | undefined;
  readonly summary?: Words | undefined;
  /** Gives the card its colour. Absent on plain answers. */
  readonly severity?: Severity | undefined;
  readonly status?: CardStatus | undefined;
  /** The colour that the place has chosen, 0xRRGGBB, in place of that of severity and status. */
  readonly color?: number | undefined;
  readonly facts?: readonly Fact<Words>[] | undefined;
  readonly table?:
    | {
        readonly columns: readonly Words[];
        readonly rows: readonly (readonly Words[])[];
        /** For each row, the command of the action that is about this row. Used where buttons can stand beside rows. */
        readonly commands?: readonly string[];
      }
    | undefined;
  readonly chart?: Chart<Words> | undefined;
  readonly links?: readonly CardLink<Words>[] | undefined;
  /** The card stays where it is: the answers of its buttons that are of the same kind replace it, where a platform can. */
  readonly panel?: true | undefined;
  /** Actions, offered as buttons or, where there are none, as commands to type. */
  readonly actions?: readonly CardAction<Words>[] | undefined;
  /** A file that is attached to the card, for programs and for `import`. */
  readonly file?: { readonly name: string; readonly text: string } | undefined;
  /** The card is only for the person who asked, as an error is. Where a platform can, nobody else sees it. */
  readonly forAsker?: true | undefined;
  /**
   * The card must be readable in every app, even if the chat has chosen a form that some apps cannot show: it is the
   * way back from that choice.
   */
  readonly plain?: true | undefined;
  /** Market time of the data, ms. */
  readonly dataTime?: number | undefined;
  /** The card stays in its place as time passes, so it shows no age of its data. */
  readonly lasting?: true | undefined;
  /** Where the data comes from: "simulated, 240 ×", "recorded", "live". Shown on every card. */
  readonly source?: Words | undefined;
  /**
   * The moments that the card names, market ms, by how they are written on it. Where a platform can, it shows each
   * reader the moment in their own time zone.
   */
  readonly times?: ReadonlyMap<string, number> | undefined;
  /**
   * The command lines that the card names, each as it is written on it and with its slash. Where a platform can, a click opens
   * the command.
   */
  readonly typed?: ReadonlySet<string> | undefined;
  /** The table as a spreadsheet takes it: numbers as they are, their units in the columns' names, times in ISO 8601. */
  readonly sheet?: PlainTable | undefined;
  /** The reader whose language the card is in. Renderers add texts in the same language. */
  readonly reader?: Reader | undefined;
}

/** A page that the card names below its text. */
interface CardLink<Words extends Text = Text> {
  readonly label: Words;
  /** HTTPS. */
  readonly url: string;
  /** What a button says that opens the page, where buttons can. Absent: it gets none. */
  readonly button?: Words | undefined;
}

/** The longest address of a button (Discord API docs, "Button"). */
const maxAddress = 512;

/** Returns an address as mark-up can hold it: no character of it ends a link. Undefined: it is no address of a page. */
function linkAddress(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null || parsed.protocol !== 'https:' || parsed.username !== '') return undefined;
  const address = parsed.href.replace(
    /[()[\]|<>"'`*\\]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return address.length > maxAddress ? undefined : address;
}

export const linksOf = ({ links = [] }: Card<string>): readonly CardLink<string>[] =>
  links.flatMap((link) => {
    const url = linkAddress(link.url);
    return url === undefined ? [] : [{ ...link, url }];
  });

export interface CardAction<Words extends Text = Text> {
  readonly label: Words;
  readonly command: string;
  /**
   * `main`: what the card leads to. `danger`: something that takes something away. Such buttons have another colour
   * where the platform has colours.
   */
  readonly weight?: 'main' | 'danger';
  /** The command is for a place that the person chooses first. Left out: for the place where the card is. */
  readonly at?: 'chosen';
  /** A role that the person chooses first is put behind the command; `chosen` is the id of the present one. */
  readonly role?: { readonly chosen: string | undefined };
}

/** Returns what gives a card its colour and its badge; undefined: it has none. */
export const toneOf = ({
  status,
  severity,
}: Pick<Card<string>, 'status' | 'severity'>): Severity | 'resolved' | undefined =>
  status === 'ended' ? undefined : status === 'resolved' ? status : severity;

export const isOver = ({ status }: Pick<Card<string>, 'status'>): boolean =>
  status === 'resolved' || status === 'ended';

/** The answer that a person gets at once. */
export interface Answer<Words extends Text = Text> extends Card<Words> {
  /**
   * The same card with the parts that take longer, shown in place of the first one. It never rejects, and gives
   * undefined if the first card stays.
   */
  readonly later?: Promise<Card<Words> | undefined> | undefined;
  /** Why nothing was done or answered, for programs; the card says it to people. Absent: it was. */
  readonly failure?: Failure | undefined;
}

/** Changes the card of an answer, and the one that is shown in its place. */
export const changeBoth = <Words extends Text>(
  { later, ...card }: Answer<Words>,
  change: (card: Card<Words>) => Card<Words>,
): Answer<Words> => ({ ...change(card), later: later?.then((whole) => whole && change(whole)) });

/**
 * A refusal (who asked must change something, or wait), or what failed. `unavailable`: the data service or the database does
 * not answer; `defect`: of this program.
 */
export interface Failure {
  readonly code: RefusalCode | 'unavailable' | 'defect';
  /** Ms after which to ask again, if that is known. */
  readonly retryAfter?: number | undefined;
}
