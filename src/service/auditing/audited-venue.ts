import type { Exchanges } from '../exchanges/exchanges.ts';
import type { MarketSource } from '../handlers/handler.ts';
import type { OpenVenue } from '../venues/others.ts';
import type { AuditedVenue } from './question.ts';

/** Simulated and recorded markets have a venue's form alone: they are asked at their simulator. */
export const primaryAudited = (
  source: MarketSource,
  { venue, markets: client, tape }: Exchanges,
): AuditedVenue => ({ venue, client, tape, title: source === 'live' ? venue.title : `${source} exchange` });

/** The others are played beside it. */
export const otherAudited = (source: MarketSource, { venue, client }: OpenVenue): AuditedVenue => ({
  venue,
  client,
  title: source === 'live' ? venue.title : `simulated ${venue.title}`,
});
