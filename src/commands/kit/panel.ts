import { z } from 'zod';
import type { Chart, Fact } from '../../alert/alert.ts';
import type { Card } from '../../card/card.ts';
import { span, time } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { hour } from '../../runtime/units.ts';
import { coveredLength, windowOf } from '../../runtime/window.ts';
import { type Command, type CommandContext, defineCommand } from '../../shell/command.ts';
import { staleDataFacts } from '../../shell/failure.ts';
import { symbol, wholeNumber } from '../../shell/input.ts';
import type { Points } from './series.ts';
import { atVenue, awaitVenueAnswer, findVenue, venue } from './venue.ts';

interface Scope {
  readonly symbol: string;
  readonly hours: number;
  /**
   * Hours to ask for where the change over `hours` is shown: one more, if that may be asked, so that there is a value from the
   * beginning.
   */
  readonly asked: number;
  /** Name of the venue at the data service. Absent: the main venue. */
  readonly venue?: string | undefined;
}

/** What a card shows about a market: its state now and over the last hours. */
interface Shown extends Pick<Card, 'summary' | 'actions'> {
  /** The state in a few words: the title is `name: headline`. */
  readonly headline: Text;
  /** The title, if it is not `name: headline`. */
  readonly title?: Text;
  readonly facts: readonly Fact[];
  /** Market ms. */
  readonly dataTime: number;
  /** Age from which on the card says how old the newest data is, ms. */
  readonly maxAge: number;
  /** The default title is `name, last …`. False if there are fewer than two points. */
  readonly chart?: (Omit<Chart, 'title'> & Partial<Pick<Chart, 'title'>>) | false;
}

interface Panel<Seen> extends Pick<Command, 'name' | 'otherNames' | 'questionWords' | 'description'> {
  /** Schema of the markets that the command takes. Default: any market. */
  readonly market?: z.ZodType<string>;
  readonly hours: { readonly least?: number; readonly usual: number; readonly most: number };
  /** True if the command can be asked about other exchanges than the main one. */
  readonly takesVenue?: boolean;
  readonly ask: (scope: Scope, context: Pick<CommandContext, 'data' | 'now' | 'signal'>) => Promise<Seen>;
  /** Returns the name of the figure: `Basis of BTC`. */
  readonly nameOf: (seen: Seen) => Text;
  /** Returns the values that the card is about. */
  readonly pastOf: (seen: Seen) => Points;
  /** How long before its time each value begins, ms, where it is a sum. Default: it is of that moment. */
  readonly lasts?: number;
  /**
   * `past`: the values over the window. `length`: the name of the window, or of that part of it which the values cover.
   */
  readonly show: (
    seen: Seen,
    context: Scope & {
      readonly name: Text;
      readonly past: Points;
      readonly length: Text;
      readonly now: number;
    },
  ) => Shown | undefined;
  /** Returns the summary if nothing is known about the market. */
  readonly emptySummary: (length: Text) => Text;
}

/** No input for a venue, with the type of one, so that both cases have the same type. */
const noVenue = {} as { readonly venue: typeof venue };

/** Says since when nothing is missing, where something is. */
export const completeSinceFacts = (since: string | undefined): Fact[] =>
  since === undefined ? [] : [{ name: msg('Complete since'), value: time(Date.parse(since)) }];

/** Defines a command that answers about one market over its last hours: its state now, figures and a chart. */
export const definePanel = <Seen>({
  market = symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
  hours: { least = 1, usual, most },
  takesVenue = false,
  ask,
  nameOf,
  pastOf,
  lasts,
  show,
  emptySummary,
  ...command
}: Panel<Seen>) =>
  defineCommand({
    ...command,
    input: z.object({
      symbol: market,
      hours: wholeNumber(least, most).default(usual).describe('How many hours back'),
      ...(takesVenue ? { venue } : noVenue),
    }),
    async run({ symbol, hours, venue: named }, context) {
      const namedVenue = named === undefined ? undefined : await findVenue(named, context);
      const scope = { symbol, hours, asked: Math.min(most, hours + 1), venue: namedVenue?.venue };
      const asked = ask(scope, context);
      const seen = await (namedVenue === undefined
        ? asked
        : awaitVenueAnswer(namedVenue, { symbol, answer: asked }));
      const name = atVenue(nameOf(seen), namedVenue);
      const past = windowOf(pastOf(seen), hours * hour);
      const [first] = past;
      const covering: Points =
        first === undefined || lasts === undefined ? past : [[first[0] - lasts, first[1]], ...past];
      const length = span(coveredLength(covering, hours * hour));
      const shown = show(seen, { ...scope, name, past, length, now: context.now });
      if (shown === undefined) return { title: name, summary: emptySummary(span(hours * hour)) };
      const { headline, facts, maxAge, chart, ...rest } = shown;
      return {
        title: msg('{what}: {signal}', { what: name, signal: headline }),
        ...rest,
        facts: [...facts, ...staleDataFacts(rest.dataTime, { now: context.now, limit: maxAge })],
        ...(chart && { chart: { title: msg('{what}, last {length}', { what: name, length }), ...chart } }),
      };
    },
  });
