import { z } from 'zod';
import type { Fact } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import type { Card } from '../card/card.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { marketName, percent, share, span, unknown, usd } from '../language/format.ts';
import { listOf, msg, msgIn, type Text } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { minute } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { awaitPart, staleDataFacts } from '../shell/failure.ts';
import { symbol, wholeNumber } from '../shell/input.ts';

type Gap = EndpointAnswer<'fundingDispersion'>['data'][number];
type Interest = EndpointAnswer<'oiAggregate'>['data'][number];
type Venue = EndpointAnswer<'venues'>['data'][number];

/** Age from which on data counts as old, ms. Rows come every 5 minutes. */
const maxAge = 15 * minute;

export default defineCommand({
  name: 'venues',
  otherNames: ['exchanges'],
  description: msg(
    'Funding and open interest of a market at each exchange; without a market, the widest gaps',
  ),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').optional(),
    limit: wholeNumber(1, 30).default(10).describe('How many gaps to show'),
  }),
  run: ({ symbol, limit }, context) =>
    symbol === undefined ? widestCard(limit, context) : marketCard(symbol, context),
});

async function widestCard(limit: number, { data, now, signal }: CommandContext): Promise<Card> {
  const [asked, gaps] = await Promise.all([
    data.venues({}, signal),
    awaitPart(msg('Funding gaps'), data.fundingDispersion({ limit }, signal)),
  ]);
  const rows = gaps.value?.data ?? [];
  const newest = newestOf(rows);
  const answeringCount = asked.data.filter(({ answers }) => answers).length;
  return {
    title: msg('Exchanges: {some} of {all} answer', { some: answeringCount, all: asked.data.length }),
    summary:
      rows.length === 0
        ? msg('No market’s funding is known at two exchanges now.')
        : msg('Widest funding gaps first. Each rate is per year, by the interval of its own exchange.'),
    facts: [...asked.data.map(stateOf), ...gaps.missing, ...staleDataFacts(newest, { now, limit: maxAge })],
    table: {
      columns: [msg('Market'), msg('Gap a year'), msg('Short'), msg('Long')],
      rows: rows.map((row) => [
        marketName(row.symbol),
        row.premiumPct === undefined ? unknown : share(row.premiumPct / 100, 1),
        legText(row, row.highest),
        legText(row, row.lowest),
      ]),
    },
    dataTime: newest,
  };
}

async function marketCard(symbol: string, { data, now, signal }: CommandContext): Promise<Card> {
  const [gaps, sums] = await Promise.all([
    awaitPart(msg('Funding at each exchange'), data.fundingDispersion({ symbol }, signal)),
    awaitPart(msg('Open interest at each exchange'), data.oiAggregate({ symbol }, signal)),
  ]);
  if (gaps.error !== undefined && sums.error !== undefined) throw gaps.error;
  const [gap] = gaps.value?.data ?? [];
  const [sum] = sums.value?.data ?? [];
  const name = msg('{symbol} across exchanges', { symbol: marketName(symbol) });
  const newest = newestOf([gap, sum].filter((row) => row !== undefined));
  if (newest === undefined)
    return {
      title: name,
      summary: msg('No exchange has reported it lately.'),
      facts: [...gaps.missing, ...sums.missing],
    };
  return {
    title:
      gap?.premiumPct === undefined
        ? name
        : msg('{name}: funding {gap} a year apart', { name, gap: share(gap.premiumPct / 100, 1) }),
    facts: compact([
      gap?.gap8h !== undefined && { name: msg('Gap in 8 h'), value: share(gap.gap8h, 4) },
      sum && { name: msg('Open interest in all'), value: usd(sum.totalUsd) },
      ...(sum ? changeFacts(sum) : []),
      ...excludedFacts([...(gap?.excluded ?? []), ...(sum?.excluded ?? [])]),
      ...gaps.missing,
      ...sums.missing,
      ...staleDataFacts(newest, { now, limit: maxAge }),
    ]),
    table: {
      columns: [
        msg('Exchange'),
        msgIn('funding', 'Rate'),
        msg('Per year'),
        msg('Open interest'),
        msg('Share'),
      ],
      rows: legsOf(gap, sum),
    },
    dataTime: newest,
  };
}

/** Returns a row for each exchange with funding or open interest. Exchanges with funding come first, the dearest at the top. */
function legsOf(gap: Gap | undefined, sum: Interest | undefined): Text[][] {
  const funding = new Map((gap?.legs ?? []).map((leg) => [leg.venue, leg]));
  const interest = new Map((sum?.legs ?? []).map((leg) => [leg.venue, leg]));
  return [...new Set([...funding.keys(), ...interest.keys()])].map((venue) => {
    const [fundingLeg, interestLeg] = [funding.get(venue), interest.get(venue)];
    return [
      fundingLeg?.title ?? interestLeg?.title ?? venue,
      fundingLeg === undefined ? unknown : ratePer(fundingLeg.rate, fundingLeg.hours),
      fundingLeg?.annualizedPct === undefined ? unknown : percent(fundingLeg.annualizedPct, 1),
      interestLeg === undefined ? unknown : usd(interestLeg.usd),
      interestLeg === undefined ? unknown : share(interestLeg.sharePct / 100),
    ];
  });
}

/** Writes changes of open interest. They cover the exchanges known at both times, which are named if some are missing. */
function changeFacts({ legs, change1h, change24h }: Interest): Fact[] {
  const titles = new Map(legs.map(({ venue, title }) => [venue, title]));
  const fact = (name: Text, change: Interest['change1h']): Fact[] => {
    if (change === undefined) return [];
    const pct = msg('{pct} in coins', { pct: percent(change.pct) });
    const only = listOf(change.venues.map((venue) => titles.get(venue) ?? venue));
    const part = change.venues.length < legs.length;
    return [{ name, value: part ? msg('{change} ({venues} alone)', { change: pct, venues: only }) : pct }];
  };
  return [...fact(msg('Change in 1 h'), change1h), ...fact(msg('Change in 24 h'), change24h)];
}

/** Names the exchanges whose market of this name is another thing, each once. */
const excludedFacts = (excluded: NonNullable<Gap['excluded']>): Fact[] =>
  [...new Map(excluded.map((one) => [one.venue, one])).values()].map(
    ({ title, reason, priceDeviationPct }) => ({
      name: msg('{title} (left out)', { title }),
      value:
        reason === 'OTHER_PRICE' && priceDeviationPct !== undefined
          ? msg('another market of that name: its price is {pct} off', { pct: percent(priceDeviationPct, 1) })
          : msg('not this coin: another market of that name'),
    }),
  );

const newestOf = (rows: readonly { readonly timestamp: string }[]): number | undefined =>
  rows.length === 0 ? undefined : Math.max(...rows.map(({ timestamp }) => Date.parse(timestamp)));

function legText({ legs }: Gap, name: string | undefined): Text {
  const leg = legs.find(({ venue }) => venue === name);
  return leg === undefined
    ? unknown
    : msg('{venue} {pct}', { venue: leg.title, pct: percent(leg.annualizedPct, 1) });
}

function stateOf({ title, primary, answers, ageMinutes, problem }: Venue): Fact {
  const age = ageMinutes === undefined ? undefined : span(ageMinutes * minute);
  return {
    name: primary ? msg('{title} (main)', { title }) : title,
    value: answers
      ? msg('answers, {age} old', { age: age ?? unknown })
      : problem !== undefined
        ? msg('no answer: {problem}', { problem })
        : age === undefined
          ? msg('no answer yet')
          : msg('silent for {age}', { age }),
  };
}
