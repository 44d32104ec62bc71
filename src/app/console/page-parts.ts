import { createApiKeys } from '../keys.ts';
import { type AftermathOptions, aftermathOf } from './aftermath.ts';
import { createAlertFeed } from './alert-feed.ts';
import { createApiData } from './api-data.ts';
import { createAuditTable } from './audit-table.ts';
import { createPastSeries } from './past-series.ts';
import { createRecordTable } from './record-table.ts';
import { createRuleDesk } from './rule-desk.ts';

type Feed = Parameters<typeof createAlertFeed>[0];
type Given = Omit<Feed, 'log' | 'afterOf'> &
  Omit<AftermathOptions, 'outcomes'> &
  Parameters<typeof createPastSeries>[0] &
  Parameters<typeof createRecordTable>[0] &
  Parameters<typeof createRuleDesk>[0] &
  Parameters<typeof createApiData>[0] & {
    readonly store: Pick<Feed, 'log'> &
      Pick<AftermathOptions, 'outcomes'> &
      Parameters<typeof createApiKeys>[0];
    readonly wall: Parameters<typeof createApiKeys>[1];
  };

/** Creates what the page shows besides the board and the chat, and what the HTTP API answers programs from. */
export const createPageParts = (given: Given) => ({
  feed: createAlertFeed({
    ...given,
    log: given.store.log,
    afterOf: aftermathOf({ ...given, outcomes: given.store.outcomes }),
  }),
  series: createPastSeries(given),
  desk: createRuleDesk(given),
  record: createRecordTable(given),
  audit: createAuditTable(given),
  api: createApiData(given),
  keys: createApiKeys(given.store, given.wall),
});
