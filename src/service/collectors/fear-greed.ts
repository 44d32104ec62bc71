import { hour } from '../../runtime/units.ts';
import { defineCollector } from './collector.ts';

/** The fear and greed index, one value a day; the first answer brings two years of it. */
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
