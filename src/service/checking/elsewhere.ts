import { hour } from '../../runtime/units.ts';
import type { CheckedValue } from '../archive/archive.ts';
import type { Listing } from '../venues/venue.ts';
import type { Measured } from './compare.ts';
import { Missed } from './missed.ts';
import {
  publishedFunding,
  publishedInterval,
  publishedMark,
  publishedOpenInterest,
  publishedRunningRate,
  publishedVolume,
} from './published.ts';
import { type Check, type CheckQuestion, cannotBeAsked } from './question.ts';
import { presentMark, presentOpenInterest } from './values.ts';

/**
 * The relative difference allowed between the marks of two venues. Funding holds the perpetuals of all venues near one
 * index: a difference of a percent is traded away within minutes, except while a market breaks.
 */
const maxMarkDifference = 0.01;

/** Makes a check that is only shown: a value that belongs to another market alone proves nothing about ours. */
const shownOnly = (published: Measured, asked: Measured): Check => ({
  ...{ published, asked, tolerance: {} },
  judged: false,
});

/** @throws Missed if the venue has no coin of that name: by its own category its market may be a stock's */
async function listingOf({ listings, symbol }: CheckQuestion): Promise<Listing> {
  const listing = (await listings()).find((each) => each.symbol === symbol);
  if (listing === undefined) throw new Missed('NO_SUCH_ROW', `${symbol} is not listed there`);
  return listing;
}

/**
 * How a second venue is asked for each value. Its mark price is judged. Its funding over the hours of our interval (settled
 * and running), its open interest and its volume are its own, and are only shown. @throws Missed, ApiError
 */
export const otherVenueChecks: Readonly<Record<CheckedValue, (question: CheckQuestion) => Promise<Check>>> = {
  async mark(question) {
    await listingOf(question);
    return presentMark(question, {
      published: await publishedMark(question),
      relative: maxMarkDifference,
    });
  },

  async funding({ symbol, ask, checkedVenue }) {
    const { funding } = checkedVenue.client;
    if (funding === undefined) throw cannotBeAsked(checkedVenue, 'settled funding');
    const [published, length] = await Promise.all([
      publishedFunding(ask, symbol),
      publishedInterval(ask, symbol),
    ]);
    const page = { from: published.time - length + 1, to: published.time };
    const settled = (await funding(symbol, page)).filter((row) => row.symbol === symbol);
    if (settled.length === 0) throw new Missed('NO_SUCH_ROW', 'nothing was settled in those hours');
    const value = settled.reduce((sum, { rate }) => sum + rate, 0);
    return shownOnly(published, { value, time: published.time });
  },

  async running_funding(question) {
    const { symbol, ask, checkedVenue, now } = question;
    const { marks, intervals } = checkedVenue.client;
    if (marks === undefined || intervals === undefined)
      throw cannotBeAsked(checkedVenue, 'running funding rates');
    const [published, length, [row], [interval]] = await Promise.all([
      publishedRunningRate(question),
      publishedInterval(ask, symbol),
      marks([symbol], now()),
      intervals([symbol]),
    ]);
    if (row === undefined || interval === undefined)
      throw new Missed('NO_SUCH_ROW', `no running rate of ${symbol}`);
    const value = (row.estFunding * length) / (interval.hours * hour);
    return shownOnly(published, { value, time: now() });
  },

  async open_interest(question) {
    const { symbol, ask, checkedVenue } = question;
    const published = await publishedOpenInterest(ask, symbol);
    const { pastOpenInterest } = checkedVenue.client;
    if (pastOpenInterest === undefined)
      return { ...(await presentOpenInterest(question, published)), judged: false };
    const [row] = await pastOpenInterest(symbol, { from: published.time, to: published.time });
    if (row === undefined) throw new Missed('NO_SUCH_ROW', `no open interest of ${symbol}`);
    return shownOnly(published, { value: row.contracts, time: row.time });
  },

  async volume_24h(question) {
    const published = await publishedVolume(question.ask, question.symbol);
    const { volume } = await listingOf(question);
    return shownOnly(published, { value: volume, time: question.now() });
  },

  async liquidations({ checkedVenue }) {
    throw cannotBeAsked(checkedVenue, 'liquidations of the past');
  },
};
