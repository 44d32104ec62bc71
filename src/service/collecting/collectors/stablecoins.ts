import { day, hour } from '../../../runtime/units.ts';
import { defineCollector } from './collector.ts';

/** Collects the stablecoins in circulation, one value a day. Each response of the upstream holds the whole history. */
export default defineCollector({
  name: 'stablecoins',
  every: 6 * hour,
  async collect({ exchanges, write }, { now, since }) {
    const from = since === undefined ? now - 730 * day : since - 3 * day;
    const rows = await exchanges.stablecoins.supply();
    await write(
      'observations',
      rows.filter(({ time }) => time >= from && time <= now),
    );
  },
});
