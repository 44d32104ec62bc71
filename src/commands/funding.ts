import { z } from 'zod';
import type { Fact } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import type { Card } from '../card/card.ts';
import { fundingHours } from '../client/funding-hours.ts';
import { fundingStandings } from '../client/funding-standings.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { settlementHours, yearlyPct } from '../contract/settlements.ts';
import { UserError } from '../language/errors.ts';
import { count, labelTitle, marketName, percent, signed, span, time, words } from '../language/format.ts';
import { lines, msg, msgIn, type Text, typed } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { hour, minute } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { type AnswerPart, awaitPart, staleDataFacts } from '../shell/failure.ts';
import { symbol, wholeNumber } from '../shell/input.ts';
import { bySign, lineOf, mean, type Points, points } from './kit/series.ts';
import { atVenue, awaitVenueAnswer, findVenue, type NamedVenue, venue } from './kit/venue.ts';

export default defineCommand({
  name: 'funding',
  // "funding top20": the twenty most extreme.
  shorthand: (words) =>
    words
      .filter(({ key, text }) => key !== undefined || !/^rates?$/i.test(text))
      .map((word) => (/^top\d+$/i.test(word.text) ? { key: 'limit', text: word.text.slice(3) } : word)),
  description: msg(
    'Funding of a market: now, vs. its last 30 days, and its past; without a market, the extremes',
  ),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').optional(),
    limit: wholeNumber(1, 90).default(30).describe('How many settlements, or extremes, to show'),
    venue,
  }),
  async run({ symbol, limit, venue: named }, context) {
    const namedVenue = named === undefined ? undefined : await findVenue(named, context);
    if (symbol !== undefined)
      return namedVenue === undefined || namedVenue.primary
        ? marketCard(symbol, namedVenue, { ...context, limit })
        : venueCard(symbol, namedVenue, { ...context, limit });
    if (namedVenue === undefined) return extremesCard(limit, context);
    const { venue } = namedVenue;
    throw new UserError(
      msg('Name a market too: {example}.', {
        example: typed(`funding btc venue=${venue}`, `funding symbol:btc venue:${venue}`),
      }),
      { title: msg('Extremes are known of the main exchange alone') },
    );
  },
});

const maxRows = 20;

async function extremesCard(limit: number, { data, now, signal }: CommandContext): Promise<Card> {
  const [{ data: rows }, hours] = await Promise.all([
    data.fundingExtremes({ limit: Math.min(limit, maxRows) }, signal),
    fundingHours(data, signal),
  ]);
  const newest = rows.length === 0 ? undefined : Math.max(...rows.map((row) => Date.parse(row.timestamp)));
  return {
    title: msg('Funding extremes'),
    summary:
      rows.length === 0
        ? msg('No market’s funding is more than 1.5 standard deviations from its 30-day mean.')
        : msg(
            'More than 1.5 standard deviations from each market’s 30-day mean. Positive: longs pay shorts.',
          ),
    facts: staleDataFacts(newest, { now, limit: 9 * hour }),
    table: {
      columns: [
        msg('Market'),
        msgIn('funding', 'Rate'),
        msg('Per year'),
        'z',
        msg('Severity'),
        msg('Direction'),
      ],
      rows: rows.map((row) => [
        marketName(row.symbol),
        ratePer(row.currentRate, hours.get(row.symbol)),
        percent(yearlyPct(row.currentRate, hours.get(row.symbol)), 1),
        signed(row.zScore),
        labelTitle(row.severity),
        labelTitle(row.direction),
      ]),
    },
    dataTime: newest,
  };
}

const payerText = (rate: number): Text =>
  rate > 0 ? msg('Longs pay shorts.') : rate < 0 ? msg('Shorts pay longs.') : msg('Nobody pays.');

/** What a market pays by its own interval, if that is known. */
const intervalFacts = (rate: number, hours: number | undefined): readonly Fact[] =>
  hours === undefined
    ? []
    : [
        { name: msg('Interval'), value: span(hours * hour) },
        { name: msg('Per year'), value: percent(yearlyPct(rate, hours)) },
      ];

const meanFact = (rates: Points, hours: number | undefined): Fact => ({
  name: msg('{count}-settlement mean', { count: count(rates.length) }),
  value: ratePer(mean(rates), hours),
});

const settledRates = ({ data }: EndpointAnswer<'fundingHistory'>): Points =>
  points(data, ({ rate }) => Number(rate));

type Limited = CommandContext & { readonly limit: number };

/** The fewest settlements to request, so that the interval between them can be found. */
const minSettlements = 5;

async function marketCard(
  symbol: string,
  venue: NamedVenue | undefined,
  { limit, data, now, signal }: Limited,
): Promise<Card> {
  const [history, standing, standings] = await Promise.all([
    data.fundingHistory({ symbol, limit: Math.max(limit, minSettlements) }, signal),
    awaitPart(msg('Its place among the extremes'), data.fundingExtremes({ limit: 30 }, signal)),
    awaitPart(msg('Its z'), fundingStandings(data, signal)),
  ]);
  const all = settledRates(history);
  const hours = settlementHours(all.map(([at]) => at));
  const rates = all.slice(-limit);
  const last = rates.at(-1);
  const title = atVenue(msg('{symbol} funding', { symbol: marketName(history.symbol) }), venue);
  if (last === undefined) return unsettledCard(symbol, { title, data, signal });
  const [at, current] = last;
  return {
    title: msg('{what}: {rate}', { what: title, rate: ratePer(current, hours) }),
    summary: payerText(current),
    facts: [
      { name: msg('Settled'), value: time(at) },
      ...intervalFacts(current, hours),
      meanFact(rates, hours),
      ...extremeFacts(history.symbol, { ...standing, z: standings.value?.get(history.symbol)?.zScore }),
      ...standings.missing,
      ...staleDataFacts(at, { now, limit: ((hours ?? 8) + 1) * hour }),
    ],
    ...(rates.length > 1 && {
      chart: {
        title: msg('{what}, last {count} settlements', {
          what:
            hours === undefined
              ? title
              : msg('{what} per {interval}', { what: title, interval: span(hours * hour) }),
          count: count(rates.length),
        }),
        unit: '%',
        series: bySign(
          rates.map(([at, value]) => [at, value * 100] as const),
          { up: msg('Longs pay'), down: msg('Shorts pay') },
        ),
        marks: [{ name: msg('Mean'), value: (mean(rates) ?? current) * 100 }],
      },
    }),
    dataTime: at,
  };
}

/** Builds the card of a market that has not settled yet, as one that was listed minutes ago: its running rate. */
async function unsettledCard(
  symbol: string,
  { title, data, signal }: { readonly title: Text } & Pick<CommandContext, 'data' | 'signal'>,
): Promise<Card> {
  const none = msg('No settlement is recorded yet.');
  const { estFunding, timestamp } =
    (await ifAnswered(data.basis({ symbol, hours: 1 }, signal)))?.current ?? {};
  if (estFunding === undefined || timestamp === undefined) return { title, summary: none };
  return {
    title: msg('{what}: {rate}, running', { what: title, rate: ratePer(estFunding, undefined) }),
    summary: lines(payerText(estFunding), none),
    dataTime: Date.parse(timestamp),
  };
}

/** How many hours of running rates are shown. */
const runningHours = 24;

/** Builds the card for an exchange other than the main one: its running rate, and its settlements since it was first asked. */
async function venueCard(
  symbol: string,
  at: NamedVenue,
  { limit, data, now, signal }: Limited,
): Promise<Card> {
  const { venue } = at;
  const settled = awaitPart(msg('Its settlements'), data.fundingHistory({ symbol, venue, limit }, signal));
  const past = awaitPart(msg('Its past'), data.basis({ symbol, venue, hours: runningHours }, signal));
  const { data: rows } = await awaitVenueAnswer(at, {
    symbol,
    answer: data.venueMarkets({ symbol, venue }, signal),
  });
  const title = atVenue(msg('{symbol} funding', { symbol: marketName(symbol) }), at);
  const { rate, hours, timestamp } = rows[0] ?? {};
  if (rate === undefined || timestamp === undefined)
    return { title, summary: msg('The exchange has told no rate of it lately.') };
  const { value: basis, missing } = await past;
  const running = points(basis?.data ?? [], ({ estFunding }) => estFunding * 100);
  const length = span(runningHours * hour);
  const dataTime = Date.parse(timestamp);
  return {
    title: msg('{what}: {rate}, running', { what: title, rate: ratePer(rate, hours) }),
    summary: lines(payerText(rate), msg('The running rate is what the next settlement would be.')),
    facts: compact([
      ...intervalFacts(rate, hours),
      running.length > 1 && {
        name: msg('Mean over {length}', { length }),
        value: ratePer((mean(running) ?? 0) / 100, hours),
      },
      ...settledFacts(await settled, hours),
      ...missing,
      ...(await settled).missing,
      ...staleDataFacts(dataTime, { now, limit: 15 * minute }),
    ]),
    ...(running.length > 1 && {
      chart: {
        title: msg('{what}, last {length}', { what: title, length }),
        unit: '%',
        series: [lineOf(msg('Running rate'), running)],
      },
    }),
    dataTime,
  };
}

function settledFacts(
  { value }: AnswerPart<EndpointAnswer<'fundingHistory'>>,
  hours: number | undefined,
): readonly Fact[] {
  const rates = value ? settledRates(value) : [];
  const last = rates.at(-1);
  if (last === undefined) return [];
  const said = msg('{rate}, {at}', { rate: ratePer(last[1], hours), at: time(last[0]) });
  return [{ name: msg('Last settlement'), value: said }, meanFact(rates, hours)];
}

function extremeFacts(
  symbol: string,
  { value, missing, z }: { readonly z: number | undefined } & AnswerPart<EndpointAnswer<'fundingExtremes'>>,
): readonly Fact[] {
  if (value === undefined) return missing;
  const extreme = value.data.find((row) => row.symbol === symbol);
  return [
    {
      name: msg('vs. last 30 days'),
      value:
        extreme === undefined
          ? z === undefined
            ? msg('normal')
            : msg('normal, z {z}', { z: signed(z) })
          : msg('{severity}, z {z}, {direction}', {
              severity: labelTitle(extreme.severity),
              z: signed(extreme.zScore),
              direction: words(extreme.direction),
            }),
    },
  ];
}
