import type { MarketSource } from '../archive/sources.ts';
import type { Exchanges } from '../venues/exchanges.ts';
import type { OpenVenue } from '../venues/others.ts';
import type { CheckedVenue } from './question.ts';

/** The primary venue. A simulated or recorded market only imitates a venue: its simulator is asked, and the title says so. */
export const checkedPrimary = (
  source: MarketSource,
  { venue, markets: client }: Exchanges,
): CheckedVenue => ({ venue, client, title: source === 'live' ? venue.title : `${source} exchange` });

/** A venue other than the primary one. Beside a simulated or recorded market, the other venues are simulated too. */
export const checkedOther = (source: MarketSource, { venue, client }: OpenVenue): CheckedVenue => ({
  venue,
  client,
  title: source === 'live' ? venue.title : `simulated ${venue.title}`,
});
