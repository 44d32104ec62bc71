import { z } from 'zod';
import type { Severity } from '../alert/alert.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { marketName, number, price, span, time, usd } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import { day, hour, second } from '../runtime/units.ts';
import { defineEpisodes, type Look, setting } from './kit/define-episodes.ts';
import type { Episode, Sample } from './kit/episode.ts';
import { knownTime } from './kit/known.ts';

/** Days of changes asked for: a bot that was stopped for this long misses none. */
const requestedDays = 7;
/** How long after its date a planned change is given up if nothing more is heard of it. */
const giveUpAfter = 3 * day;

const noteOf = z.object({
  symbol: z.string(),
  venue: z.string().optional(),
  /** When the change was seen. All times are in ms. */
  seenAt: z.number(),
  effective: z.number().optional(),
  price: z.number().optional(),
  volume: z.number().optional(),
  hours: z.number().optional(),
  hoursBefore: z.number().optional(),
  from: z.string().optional(),
});
type Note = z.output<typeof noteOf>;

type Answer = EndpointAnswer<'listings'>;
type Row = Answer['data'][number];
type End = keyof typeof endings;

interface Seen extends Look<Note> {
  readonly ended?: End;
}

/**
 * The subject of each kind of change. Changes of one market with the same subject follow each other, as one followed
 * value. Kinds of change that are not named here are ignored.
 */
const subjects: Readonly<Record<string, string>> = {
  ANNOUNCED: 'BEGIN',
  LISTED: 'BEGIN',
  RENAMED: 'NAME',
  DELISTING: 'END',
  RETAINED: 'END',
  DELISTED: 'END',
  INTERVAL: 'INTERVAL',
};
/** The changes that are planned. All others have happened. */
const planned: readonly string[] = ['ANNOUNCED', 'DELISTING'];
const ranks = ['INTERVAL', 'ANNOUNCED', 'RENAMED', 'LISTED', 'DELISTED', 'DELISTING'];

/**
 * Alerts when an exchange changes something about its perpetuals, tracked or not, as the service concludes from the
 * exchange's lists. Each change is reported once, and simultaneous changes in one post. A delisting is a warning,
 * because a position must be closed before it.
 */
export default defineEpisodes({
  name: 'listing',
  description: msg('A perpetual is listed, renamed or delisted, or its funding interval changes'),
  preset: 'standard',
  smallest: () => msg('any change'),
  prediction: null,
  schedule: '35 1-59/15 * * * *',
  cost: 'one request; the service looks at the exchange’s list every 5 minutes',
  groupWait: 30 * second,
  options: { settle: setting.duration('24h', 'what has happened is over once it is this old') },
  rules: () => ({ news: true }),
  note: noteOf,
  memory: z.object({ at: z.number(), venue: z.string().optional() }),
  observe: ({ data, signal }) => data.listings({ days: requestedDays }, signal),

  look(answer, { options: { settle }, memory, values, now }) {
    const at = knownTime(Date.parse(answer.timestamp), now);
    const venue = answer.venue?.name;
    const next = { at, venue };
    if (memory === undefined) return { seen: [], memory: next, able: true };
    if (at <= memory.at) return { seen: [], memory, able: true };
    const isOtherVenue = venue !== memory.venue;
    const newest = isOtherVenue ? [] : newestOf(answer, memory.at);
    const changed = newest.flatMap(({ key, row }) =>
      seenOf(key, { row, at, answer, open: values[key]?.open }),
    );
    const keys = new Set(changed.map(({ key }) => key));
    const rest = Object.entries(values).flatMap(([key, { open }]): Seen[] => {
      if (keys.has(key) || open === null) return [];
      const ended = isOtherVenue ? 'ELSEWHERE' : endOf(open, { at, settle });
      return ended === undefined ? [] : [endingLook(key, at, ended)];
    });
    return { seen: [...changed, ...rest], memory: next, able: true };
  },

  // A new funding interval is a label by its length, so that each interval is an alert of its own.
  labelsOf(key, side) {
    const [, symbol = ''] = key.split(' ');
    const [change = side, interval] = side.split(' ');
    return { symbol, change, ...(interval !== undefined && { interval }) };
  },

  tell({ ended: hasEnded, side, note, since }, { seen: { ended = 'STOOD' }, options: { settle } }) {
    const { symbol, venue, effective, hours, hoursBefore, ...seen } = note ?? { symbol: '', seenAt: since };
    const trading = side.startsWith('DELIST') ? msg('Trading ends') : msg('Trading begins');
    return {
      title: titleOf(side, note),
      summary: hasEnded ? endings[ended](settle) : summaryOf(side, note),
      facts: [
        venue !== undefined && [msg('Exchange'), venue],
        effective !== undefined && [trading, time(effective)],
        seen.price !== undefined && [msg('Price'), price(seen.price)],
        seen.volume !== undefined && [msg('Volume in 24 h'), usd(seen.volume)],
        hours !== undefined && [msg('Funding interval'), span(hours * hour)],
        hoursBefore !== undefined && [msg('Before'), span(hoursBefore * hour)],
        [msg('Seen'), time(seen.seenAt)],
      ],
      prominence: Math.max(0, ranks.indexOf(side)),
      ...(hasEnded && unheardEnds.includes(ended) && { unknown: true }),
    };
  },
});

/** Returns the newest change of each market and subject, of all that were seen after `since`. */
function newestOf({ data }: Answer, since: number): readonly { readonly key: string; readonly row: Row }[] {
  const fresh = data
    .filter(({ timestamp }) => Date.parse(timestamp) > since)
    .sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  const newest = new Map<string, Row>();
  for (const row of fresh) {
    const subject = subjects[row.change];
    if (subject !== undefined) newest.set(`${subject} ${row.symbol}`, row);
  }
  return [...newest].map(([key, row]) => ({ key, row }));
}

interface Known {
  readonly row: Row;
  readonly at: number;
  readonly answer: Answer;
  readonly open: Episode<Note>['open'] | undefined;
}

function seenOf(key: string, { row, at, answer, open }: Known): Seen[] {
  const { symbol, change, timestamp, effective, volume24hUsd: volume, intervalHours: hours } = row;
  if (change === 'RETAINED') return open ? [endingLook(key, at, 'RETAINED')] : [];
  if (change === 'DELISTED' && open?.side === 'DELISTING') return [endingLook(key, at, 'DELISTED')];
  if (change === 'INTERVAL' && hours === undefined) return [];
  const severity: Severity = subjects[change] === 'END' ? 'warning' : 'info';
  const sample: Sample<Note> = {
    at,
    side: change === 'INTERVAL' ? `${change} ${hours}h` : change,
    strong: true,
    severity,
    renew: true,
    note: {
      symbol,
      seenAt: Date.parse(timestamp),
      venue: answer.venue?.title,
      ...(effective !== undefined && { effective: Date.parse(effective) }),
      price: row.price,
      volume,
      hours,
      hoursBefore: row.intervalHoursBefore,
      from: row.from,
    },
  };
  return [{ key, samples: [sample], ...(open && { ended: nextOf(change, open.side) }) }];
}

/** Returns why a change ends the alert about the one before it. */
const nextOf = (change: string, before: string): End =>
  change === 'LISTED' && before === 'ANNOUNCED' ? 'BEGUN' : 'CHANGED';

/** Returns why an open episode is over by now. Undefined: it is not. */
function endOf(
  { side, since, note }: NonNullable<Episode<Note>['open']>,
  { at, settle }: Record<'at' | 'settle', number>,
): End | undefined {
  if (!planned.includes(side)) return at - since >= settle ? 'STOOD' : undefined;
  return at - (note?.effective ?? since) >= giveUpAfter ? 'UNHEARD' : undefined;
}

const endingLook = (key: string, at: number, ended: End): Seen => ({
  key,
  samples: [],
  gone: at,
  ended,
});

function titleOf(side: string, note: Note | undefined): Text {
  const { symbol = '', from = '', effective, hours = 0, hoursBefore = 0 } = note ?? {};
  const market = marketName(symbol);
  switch (side) {
    case 'ANNOUNCED':
      return msg('New perpetual announced: {market}', { market });
    case 'LISTED':
      return msg('New perpetual: {market}', { market });
    case 'RENAMED':
      return msg('{from} perpetual is now {market}', { from: marketName(from), market });
    case 'DELISTING':
      return effective === undefined
        ? msg('{market} perpetual will be delisted', { market })
        : msg('{market} perpetual will be delisted on {time}', { market, time: time(effective) });
    case 'DELISTED':
      return msg('{market} perpetual is delisted', { market });
    default:
      return msg('{market} settles funding every {interval} instead of {before}', {
        market,
        interval: span(hours * hour),
        before: span(hoursBefore * hour),
      });
  }
}

function summaryOf(side: string, note: Note | undefined): Text {
  const { from = '', venue, seenAt = 0, effective, hours = 1, hoursBefore = 1 } = note ?? {};
  switch (side) {
    case 'ANNOUNCED':
      return effective === undefined
        ? msg('When trading begins is not said yet.')
        : msg('Trading begins on {time}.', { time: time(effective) });
    case 'LISTED': {
      const since = { time: time(effective ?? seenAt), venue: venue ?? '' };
      return join(
        [
          venue === undefined
            ? msg('Traded since {time}.', since)
            : msg('Traded at {venue} since {time}.', since),
          msg('Most alerts about it need days of its past first.'),
        ],
        ' ',
      );
    }
    case 'RENAMED':
      return msg('The exchange has renamed it. Subscriptions to {from} do not follow it.', {
        from: marketName(from),
      });
    case 'DELISTING':
      return msg('Positions still open then are settled by the exchange.');
    case 'DELISTED':
      return msg('It is no longer traded. The exchange settles positions that were open.');
    default:
      return msg('The same rate per settlement now comes to {times} × as much a year.', {
        times: number(hoursBefore / hours),
      });
  }
}

/** Ends after which nobody has said how it went. */
const unheardEnds: readonly End[] = ['UNHEARD', 'ELSEWHERE'];

const endings = {
  BEGUN: () => msg('Trading has begun.'),
  CHANGED: () => msg('It has changed again.'),
  STOOD: (settle: number) => msg('Nothing about it has changed for {span}.', { span: span(settle) }),
  DELISTED: () => msg('It is delisted now: trading has ended.'),
  RETAINED: () => msg('The exchange has cancelled it: it stays listed.'),
  UNHEARD: () => msg('The exchange says no more of it.'),
  ELSEWHERE: () => msg('Market data now comes from another exchange.'),
} satisfies Readonly<Record<string, (settle: number) => Text>>;
