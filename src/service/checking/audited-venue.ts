import type { MarketSource } from '../archive/sources.ts';
import type { Exchanges } from '../venues/exchanges.ts';
import type { OpenVenue } from '../venues/others.ts';
import type { AuditedVenue } from './question.ts';

/** The primary venue. A simulated or recorded market only imitates a venue: its simulator is asked, and the title says so. */
export const auditedPrimary = (
  source: MarketSource,
  { venue, markets: client }: Exchanges,
): AuditedVenue => ({ venue, client, title: source === 'live' ? venue.title : `${source} exchange` });

/** A venue other than the primary one. Beside a simulated or recorded market, the other venues are simulated too. */
export const auditedOther = (source: MarketSource, { venue, client }: OpenVenue): AuditedVenue => ({
  venue,
  client,
  title: source === 'live' ? venue.title : `simulated ${venue.title}`,
});
