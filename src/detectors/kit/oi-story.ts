import { percent, span } from '../../language/format.ts';
import { msg, type Text, type Values } from '../../language/text.ts';

type Context = 'rising' | 'falling' | 'unclear';

interface Story {
  readonly title: (values: Values) => Text;
  readonly summary: Text;
}

/** Open interest and price together, read as is usual in the trade; who is behind it is not known. */
const stories: Readonly<Record<string, Readonly<Record<Context, Story>>>> = {
  RAPID_BUILDUP: {
    rising: {
      title: (values) => msg('{symbol} open interest builds up as the price rises: {rate} in 5 min', values),
      summary: msg('Open interest is rising fast as the price rises: probably new longs.'),
    },
    falling: {
      title: (values) => msg('{symbol} open interest builds up as the price falls: {rate} in 5 min', values),
      summary: msg('Open interest is rising fast as the price falls: probably new shorts.'),
    },
    unclear: {
      title: (values) => msg('{symbol} open interest builds up: {rate} in 5 min', values),
      summary: msg('Open interest is rising fast; the price doesn’t show which side is adding.'),
    },
  },
  RAPID_UNWIND: {
    rising: {
      title: (values) => msg('{symbol} open interest unwinds as the price rises: {rate} in 5 min', values),
      summary: msg('Open interest is falling fast as the price rises: probably short covering.'),
    },
    falling: {
      title: (values) => msg('{symbol} open interest unwinds as the price falls: {rate} in 5 min', values),
      summary: msg(
        'Open interest is falling fast as the price falls: longs are probably closing or being liquidated.',
      ),
    },
    unclear: {
      title: (values) => msg('{symbol} open interest unwinds: {rate} in 5 min', values),
      summary: msg('Open interest is falling fast; the price doesn’t show which side is leaving.'),
    },
  },
};

const contextOf = (move: number | undefined, flat: number): Context =>
  move === undefined || Math.abs(move) < flat ? 'unclear' : move > 0 ? 'rising' : 'falling';

/** What a signal and the price's move beside it say; undefined for a signal that is unknown. */
export const storyOf = (signal: string, move: number | undefined, flat: number): Story | undefined =>
  stories[signal]?.[contextOf(move, flat)];

interface Standing {
  /** Contracts. */
  readonly oi: number;
  /** Market ms. */
  readonly at: number;
}

/** How far it went, where it is known what was open before. */
export function overTitle(signal: string, symbol: string, from: Standing | undefined, to: Standing): Text {
  if (from === undefined || !(from.oi > 0))
    return msg('{symbol} OI {signal, select, RAPID_UNWIND {unwind} other {buildup}} over', {
      symbol,
      signal,
    });
  return msg('{symbol} OI {signal, select, RAPID_UNWIND {unwind} other {buildup}} over: {move} in {length}', {
    symbol,
    signal,
    move: percent((to.oi / from.oi - 1) * 100, 1),
    length: span(to.at - from.at),
  });
}
