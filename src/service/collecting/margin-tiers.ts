import { z } from 'zod';
import { contract } from '../../contract/index.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { MarginTiers } from '../../runtime/liquidation-price.ts';
import type { Archive } from '../archive/archive.ts';
import type { PrimaryCollecting } from './primary.ts';

const { unit, tiers } = contract.leverageTiers.answer.shape;
/** Tiers as a venue told them at `at`, market ms. They change some times a year, so that old ones are better than none. */
const told = z.object({ at: z.int(), unit, tiers });

/** A market at a venue. */
interface VenueMarket {
  readonly venue: string;
  readonly symbol: string;
}

const keyOf = ({ venue, symbol }: VenueMarket): string => `margin-tiers ${venue} ${symbol}`;

/** Reads the tiers that were told last; undefined: none were by `now`. */
export async function toldTiers(
  archive: Pick<Archive, 'get'>,
  { now, ...of }: VenueMarket & { readonly now: number },
): Promise<z.output<typeof told> | undefined> {
  const { data } = told.safeParse(await archive.get(keyOf(of)));
  return data === undefined || data.at > now ? undefined : data;
}

/** Asks a venue for a market's margin tiers, and stores them. @throws ApiError if there is no answer, or none that can be */
export type AskTiers = (of: VenueMarket) => Promise<MarginTiers>;

export const createAskTiers =
  (
    { exchanges, otherVenues }: Pick<PrimaryCollecting, 'exchanges' | 'otherVenues'>,
    { archive, clock }: { readonly archive: Pick<Archive, 'put'>; readonly clock: Clock },
  ): AskTiers =>
  async (of) => {
    const { path } = contract.leverageTiers;
    const primary = exchanges();
    const client =
      primary?.venue.name === of.venue
        ? primary.markets
        : otherVenues().find(({ venue }) => venue.name === of.venue)?.client;
    if (client?.marginTiers === undefined)
      throw new ApiError(path, 'server_error', `${of.venue} cannot be asked now`);
    const answer = await client.marginTiers(of.symbol);
    const read = told.safeParse({ at: Math.floor(clock.now()), ...answer });
    if (!read.success)
      throw new ApiError(path, 'server_error', `${of.venue} sent tiers that cannot be`, {
        cause: read.error,
      });
    await archive.put(keyOf(of), read.data);
    return read.data;
  };
