import { hour } from '../../runtime/units.ts';
import type { AuditedValue } from '../archive/archive.ts';
import type { Listing } from '../venues/venue.ts';
import type { Measured, Tolerance } from './compare.ts';
import { Missed } from './missed.ts';
import {
  publishedFunding,
  publishedHours,
  publishedMark,
  publishedOpenInterest,
  publishedRunning,
  publishedVolume,
} from './published.ts';
import { type AuditQuestion, type Check, lacks } from './question.ts';
import { presentMark, presentOpenInterest } from './values.ts';

/**
 * The relative difference allowed between the marks of two venues. Funding holds the perpetuals of all venues near one
 * index: a difference of a percent is traded away within minutes, except while a market breaks.
 */
const nearIndex = 0.01;

const noTolerance: Tolerance = { still: 0, grain: 0, move: 0, per: 1, blur: 0 };
/** Makes a check that is only shown: a value that belongs to another market alone proves nothing about ours. */
const shown = (published: Measured, asked: Measured): Check => ({
  published,
  asked,
  tolerance: noTolerance,
  judged: false,
});

/** A venue's list covers all symbols, so that the symbols of one round share one request. */
const listed = new WeakMap<AuditQuestion['of'], Promise<readonly Listing[]>>();
const listingsOf = (of: AuditQuestion['of']): Promise<readonly Listing[]> => {
  const asking = listed.get(of) ?? of.client.listings();
  listed.set(of, asking);
  return asking;
};

/**
 * How a second venue is asked for each value. Its mark price is judged. Its funding over the hours of our interval (settled
 * and running), its open interest and its volume are its own, and are only shown. @throws Missed, ApiError
 */
export const askedElsewhere: Readonly<Record<AuditedValue, (question: AuditQuestion) => Promise<Check>>> = {
  async mark(question) {
    return presentMark(question, {
      published: await publishedMark(question),
      still: nearIndex,
    });
  },

  async funding({ symbol, ask, of }) {
    const { funding } = of.client;
    if (funding === undefined) throw lacks(of, 'settled funding');
    const [published, length] = await Promise.all([
      publishedFunding(ask, symbol),
      publishedHours(ask, symbol),
    ]);
    const page = { from: published.time - length + 1, to: published.time };
    const settled = (await funding(symbol, page)).filter((row) => row.symbol === symbol);
    if (settled.length === 0) throw new Missed('NO_SUCH_ROW', 'nothing was settled in those hours');
    const value = settled.reduce((sum, { rate }) => sum + rate, 0);
    return shown(published, { value, time: published.time });
  },

  async running_funding(question) {
    const { symbol, ask, of, now } = question;
    const { marks, intervals } = of.client;
    if (marks === undefined || intervals === undefined) throw lacks(of, 'running funding rates');
    const [published, length, [row], [interval]] = await Promise.all([
      publishedRunning(question),
      publishedHours(ask, symbol),
      marks([symbol], now()),
      intervals([symbol]),
    ]);
    if (row === undefined || interval === undefined)
      throw new Missed('NO_SUCH_ROW', `no running rate of ${symbol}`);
    const value = (row.estFunding * length) / (interval.hours * hour);
    return shown(published, { value, time: now() });
  },

  async open_interest(question) {
    const { symbol, ask, of } = question;
    const published = await publishedOpenInterest(ask, symbol);
    const { pastOpenInterest } = of.client;
    if (pastOpenInterest === undefined)
      return { ...(await presentOpenInterest(question, published)), judged: false };
    const [row] = await pastOpenInterest(symbol, { from: published.time, to: published.time });
    if (row === undefined) throw new Missed('NO_SUCH_ROW', `no open interest of ${symbol}`);
    return shown(published, { value: row.contracts, time: row.time });
  },

  async volume_24h({ symbol, ask, of, now }) {
    const published = await publishedVolume(ask, symbol);
    const listing = (await listingsOf(of)).find((each) => each.symbol === symbol);
    if (listing === undefined) throw new Missed('NO_SUCH_ROW', `${symbol} is not listed there`);
    return shown(published, { value: listing.volume, time: now() });
  },

  async liquidations({ of }) {
    throw lacks(of, 'liquidations of the past');
  },
};
