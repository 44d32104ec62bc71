import { contract } from '../../contract/index.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import type { MarginTiers } from '../../runtime/liquidation-price.ts';
import { day, hour, iso } from '../../runtime/units.ts';
import { entryWindow, liquidatedLeverage } from '../analytics/leverage.ts';
import { oiMomentum as momentum, moverWindow, oiMover, oiRows } from '../analytics/oi-momentum.ts';
import { oiVelocity as velocity, velocityLead } from '../analytics/oi-velocity.ts';
import { round } from '../analytics/statistics.ts';
import type { Candle } from '../archive/archive.ts';
import { derived } from '../archive/derivation.ts';
import { toldTiers } from '../collecting/margin-tiers.ts';
import { plainDecimal } from './decimal.ts';
import { type Handler, lastWindow, noDataYet } from './handler.ts';
import { findVenue, locateRows } from './venue-rows.ts';

const uses = ['venueOpenInterest', 'listed', 'state'] as const;

export const oi: Handler<'oi'> = {
  needs: ['openInterest'],
  uses,
  async answer({ symbol, limit, venue }, context) {
    const question = { path: contract.oi.path, symbol, venue };
    const { name, symbol: of, venueFields } = await locateRows('openInterest', question, context);
    const stored = await context.archive.last(name, { symbol: of, count: limit, to: context.now });
    const known = name === 'openInterest' ? context.listed?.get(symbol)?.interest : undefined;
    const snapshots = stored.length === 0 && known !== undefined ? [known] : stored;
    return {
      ...venueFields,
      symbol,
      data: snapshots.map(({ time, contracts, valueUsd }) => ({
        timestamp: iso(time),
        oi_contracts: plainDecimal(contracts),
        oi_value_usd: valueUsd.toFixed(2),
      })),
    };
  },
};

export const oiMomentum: Handler<'oiMomentum'> = {
  needs: ['openInterest'],
  uses,
  async answer({ symbol, hours, venue }, context) {
    const question = { path: contract.oiMomentum.path, symbol, venue };
    const { venueFields, ...rows } = await locateRows('openInterest', question, context);
    const window = lastWindow(hours * hour, context.now);
    const answer = momentum(
      symbol,
      await derived(context.archive, { ...window, ...rows, derivation: oiRows }),
    );
    return venue === undefined ? answer : { ...venueFields, ...answer };
  },
};

export const oiMovers: Handler<'oiMovers'> = {
  needs: ['openInterest'],
  async answer(_query, { archive, now, universe }) {
    const window = lastWindow(moverWindow, now);
    const movers = await Promise.all(
      universe.map(async (symbol) => {
        const mover = oiMover(await archive.columns('openInterest', { symbol, window }), now);
        return mover === undefined ? [] : [{ symbol, ...mover }];
      }),
    );
    const data = movers
      .flat()
      .sort((a, b) => Math.abs(b.ratePct) - Math.abs(a.ratePct) || (a.symbol < b.symbol ? -1 : 1));
    return { data, count: data.length };
  },
};

export const oiVelocity: Handler<'oiVelocity'> = {
  needs: ['openInterest'],
  uses,
  async answer({ symbol, hours, venue }, context) {
    const question = { path: contract.oiVelocity.path, symbol, venue };
    const { name, symbol: of, venueFields } = await locateRows('openInterest', question, context);
    const { from, to } = lastWindow(hours * hour, context.now);
    const window = { from: from - velocityLead, to };
    const snapshots = await context.archive.read(name, { symbol: of, window });
    return { ...venueFields, symbol, ...velocity(snapshots, from) };
  },
};

/** Returns the quote volume of the 24 hours that end with the newest candle; 0 if one of them is missing. */
function dayVolume(candles: readonly Candle[]): number {
  const newest = candles.at(-1)?.time ?? 0;
  const lastDay = candles.filter(({ time }) => time > newest - day);
  return lastDay.length === 24 ? lastDay.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0) : 0;
}

export const leverage: Handler<'leverage'> = {
  needs: ['candles1h', 'openInterest', 'liquidations'],
  async answer({ symbol, hours }, context) {
    const { archive, now } = context;
    const window = Math.floor(hours * hour);
    const [events, candles, [snapshot]] = await Promise.all([
      archive.liquidations({ symbol, after: now - window, to: now, limit: 100_000 }),
      archive.read('candles1h', {
        symbol,
        window: lastWindow(Math.max(window, day) + entryWindow, now - hour),
      }),
      archive.last('openInterest', { symbol, count: 1, to: now }),
    ]);
    if (snapshot === undefined) throw noDataYet(contract.leverage.path, 'open interest', symbol);
    const volume = dayVolume(candles);
    return {
      symbol,
      estimate: true,
      ...liquidatedLeverage(events, candles),
      ...(volume > 0 ? { oiToVolume: round(snapshot.valueUsd / volume, 4) } : {}),
      timestamp: iso(Math.max(snapshot.time, events[0]?.time ?? 0)),
    };
  },
};

/** Asks a venue once a day for a market's tiers. While it does not answer, those that it told last are returned. */
export const leverageTiers: Handler<'leverageTiers'> = {
  needs: [],
  async answer({ symbol, venue: asked }, context) {
    const { path } = contract.leverageTiers;
    const { name: venue, title, roles } = findVenue(asked, path, context);
    if (roles.marginTiers === undefined)
      throw new ApiError(path, 'not_offered', `${title} does not publish margin tiers`);
    const { archive, askTiers, figures, now } = context;
    const today = Math.floor(now / day);
    const told = await toldTiers(archive, { venue, symbol, now });
    const answer = ({ unit, tiers }: MarginTiers) => ({ venue, title, symbol, unit, tiers: [...tiers] });
    if (told !== undefined && (askTiers === undefined || Math.floor(told.at / day) === today))
      return answer(told);
    if (askTiers === undefined) throw noDataYet(path, `margin tiers of ${symbol}`);
    try {
      return answer(
        await figures.in(String(today), `tiers ${venue} ${symbol}`, () => askTiers({ venue, symbol })),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.reason === 'invalid_request') throw new InputError(`${title} does not trade ${symbol}`);
      if (told === undefined) throw error;
      return answer(told);
    }
  },
};
