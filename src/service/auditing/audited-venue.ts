import type { Exchanges } from '../exchanges/exchanges.ts';
import type { MarketSource } from '../handlers/handler.ts';
import type { AuditedVenue } from './values.ts';

/** Simulated and recorded markets have a venue's form alone: they are asked at their simulator. */
export const auditedVenue = (
  source: MarketSource,
  exchanges: Exchanges | undefined,
): AuditedVenue | undefined =>
  exchanges && {
    venue: exchanges.venue,
    title: source === 'live' ? exchanges.venue.title : `${source} exchange`,
    client: exchanges.markets,
    tape: exchanges.tape,
  };
