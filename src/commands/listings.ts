import { z } from 'zod';
import type { EndpointAnswer } from '../contract/index.ts';
import { marketName, price, span, time } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { day, hour } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { staleDataFacts } from '../shell/failure.ts';
import { wholeNumber } from '../shell/input.ts';

/** The most rows on the card. */
const maxRows = 30;

export default defineCommand({
  name: 'listings',
  otherNames: ['delistings'],
  description: msg('New and delisted perpetuals, and changed funding intervals'),
  input: z.object({ days: wholeNumber(1, 30).default(7).describe('How many days back') }),
  async run({ days }, { data, now, signal }) {
    const { data: rows, venue, since, timestamp } = await data.listings({ days }, signal);
    const dataTime = Date.parse(timestamp);
    const watchedSince = Date.parse(since);
    return {
      title: msg('Listings, last {window}', { window: span(days * day) }),
      summary: rows.length === 0 ? msg('No perpetual was listed or delisted.') : undefined,
      facts: compact([
        venue && { name: msg('Exchange'), value: venue.title },
        watchedSince > now - days * day && { name: msg('Watched since'), value: time(watchedSince) },
        ...staleDataFacts(dataTime, { now, limit: hour }),
      ]),
      table: {
        columns: [msg('When'), msg('Market'), msg('Change')],
        rows: rows
          .slice(0, maxRows)
          .map((row) => [time(Date.parse(row.timestamp)), marketName(row.symbol), changeOf(row)]),
      },
      dataTime,
    };
  },
});

function changeOf(row: EndpointAnswer<'listings'>['data'][number]): Text {
  const at = row.effective === undefined ? undefined : time(Date.parse(row.effective));
  switch (row.change) {
    case 'ANNOUNCED':
      return at === undefined ? msg('announced') : msg('announced, trading from {at}', { at });
    case 'LISTED':
      return row.price === undefined ? msg('listed') : msg('listed at {price}', { price: price(row.price) });
    case 'RENAMED':
      return msg('renamed, was {from}', { from: marketName(row.from ?? '') });
    case 'DELISTING':
      return at === undefined ? msg('will be delisted') : msg('will be delisted on {at}', { at });
    case 'RETAINED':
      return msg('stays listed');
    case 'DELISTED':
      return msg('delisted');
    case 'INTERVAL':
      return msg('funding every {interval}, was {before}', {
        interval: span((row.intervalHours ?? 0) * hour),
        before: span((row.intervalHoursBefore ?? 0) * hour),
      });
    default:
      return row.change;
  }
}
