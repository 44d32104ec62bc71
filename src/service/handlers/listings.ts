import { contract } from '../../contract/index.ts';
import { day, iso } from '../../runtime/units.ts';
import { listingLog } from '../analytics/listing-log.ts';
import { type Handler, noDataYet } from './handler.ts';

export const listings: Handler<'listings'> = {
  needs: ['listings'],
  uses: ['state'],
  async answer({ days }, { archive, now, state }) {
    const log = await listingLog(archive);
    if (log === undefined || log.begun > now) throw noDataYet(contract.listings.path, 'list of perpetuals');
    const from = now - days * day;
    const data = log.changes
      .filter(({ time }) => time > from && time <= now)
      .map(({ time, effective, volume, hours, hoursBefore, ...change }) => ({
        ...change,
        timestamp: iso(time),
        effective: effective === undefined ? undefined : iso(effective),
        volume24hUsd: volume,
        intervalHours: hours,
        intervalHoursBefore: hoursBefore,
      }))
      .reverse();
    return {
      venue: state.venue,
      data,
      count: data.length,
      since: iso(log.begun),
      timestamp: iso(Math.min(log.at, now)),
    };
  },
};
