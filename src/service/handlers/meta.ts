import { contract } from '../../contract/index.ts';
import { iso, minute } from '../../runtime/units.ts';
import { round } from '../analytics/statistics.ts';
import type { Handler } from './handler.ts';

const extensions = Object.entries(contract).flatMap(([name, endpoint]) =>
  'extension' in endpoint && endpoint.extension === true ? [name] : [],
);

export const meta: Handler<'meta'> = {
  needs: [],
  uses: ['state'],
  async answer(_query, { now, universe, feeds, state }) {
    return {
      source: state.source,
      marketTime: iso(now),
      speed: state.speed,
      ready: state.ready,
      backfill: round(state.backfill, 4),
      version: state.version,
      symbols: [...universe],
      feeds: feeds.map(({ feed, lastUpdate, problem }) => ({
        name: feed,
        source: state.sourceOf(feed),
        ...(lastUpdate === null
          ? {}
          : { lastUpdate: iso(lastUpdate), ageMinutes: round(Math.max(0, now - lastUpdate) / minute, 1) }),
        fresh: problem === null && lastUpdate !== null,
        ...(problem === null ? {} : { problem }),
      })),
      extensions,
    };
  },
};
