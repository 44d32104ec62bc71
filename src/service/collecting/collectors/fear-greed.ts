import { hour } from '../../../runtime/units.ts';
import { defineCollector } from './collector.ts';

/** Collects the fear and greed index, one value a day. The first request fetches two years. */
export default defineCollector({
  name: 'fear-greed',
  every: hour,
  async collect({ exchanges, write }, { now, since }) {
    const rows = await exchanges.fearGreed.index(since === undefined ? 730 : 3);
    await write(
      'observations',
      rows.filter(({ time }) => time <= now),
    );
  },
});
