import { z } from 'zod';
import { count, words } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { day, hour } from '../runtime/units.ts';
import { defineEpisodes, setting } from './kit/define-episodes.ts';

/**
 * Alerts when the fear and greed index, 0 to 100, enters or leaves one of its outer bands. The bands are
 * alternative.me's: extreme fear below 25, extreme greed from 75 on. The index has left a band once it is `margin`
 * points past the band's border, towards the middle. The index is published once a day. Where the service has no fresh
 * index it estimates one, and its extension /meta says which of the two it gives. An estimate is not the index: it is
 * reported only if the option `estimate` is on, and the title calls it an estimate. Measured in 2023: the estimate was
 * in an outer band 45 times, the index never.
 */
export default defineEpisodes({
  name: 'fear-greed',
  description: msg('The market enters extreme fear or extreme greed, and leaves it'),
  preset: 'everything',
  smallest: ({ fear, greed }) =>
    msg('an index below {fear, number} or from {greed, number} on', { fear, greed }),
  schedule: '50 */15 * * * *',
  cost: 'the request is shared with others; the index comes once a day',
  options: {
    fear: setting.number(25, 'below this is extreme fear, after alternative.me', '[0, 100]'),
    greed: setting.number(75, 'from this on is extreme greed', '[0, 100]'),
    margin: setting.number(5, 'points inside a band’s border at which it is left', '[0, 50]'),
    confirm: setting.integer(4, 'looks in a row, each at newer data'),
    calm: setting.integer(4, 'looks in a row outside before it is left'),
    cooldown: setting.duration('3d', 'after its end'),
    estimate: z
      .boolean()
      .default(false)
      .describe('true: where the index is unavailable, use the service’s estimate, labelled as one'),
  },
  check: [({ fear, greed, margin }) => fear + margin < greed - margin, 'fear and greed must not overlap'],
  rules: (options) => options,
  /** A month of values. The index comes once a day, an estimate at any time. */
  trail: { interval: 6 * hour, maxValues: (30 * day) / (6 * hour) },
  async observe({ data, signal }) {
    const [overview, meta] = await Promise.all([
      data.marketOverview({}, signal),
      // If the service does not say which of the two the value is, it may be an estimate.
      ifAnswered(data.meta({}, signal)),
    ]);
    return { ...overview, estimated: meta?.fearGreed !== 'published' };
  },

  look({ fearGreed, estimated, timestamp, coins }, { options: { fear, greed, margin, estimate }, now }) {
    const at = Date.parse(timestamp);
    if (fearGreed === undefined || (estimated && !estimate) || at > now || now - at > hour) return [];
    const side =
      fearGreed < fear + margin ? 'EXTREME_FEAR' : fearGreed >= greed - margin ? 'EXTREME_GREED' : null;
    const strong = fearGreed < fear || fearGreed >= greed;
    const samples = [{ at, side, strong, severity: 'warning' as const }];
    return [{ key: 'index', samples, trace: [at, fearGreed] as const, fearGreed, estimated, coins }];
  },

  labelsOf: (_, band) => ({ band }),

  tell({ ended, side }, { seen: { fearGreed, estimated, coins }, options: { fear, greed }, past }) {
    const index = msg('{index} of 100', { index: count(fearGreed) });
    const values = { band: words(side), index };
    const { length: all } = coins;
    const { length: up } = coins.filter((coin) => coin.signal > 0);
    return {
      title: estimated
        ? ended
          ? msg('Estimated fear and greed has left {band}: {index}', values)
          : msg('Estimated fear and greed: {band}, {index}', values)
        : ended
          ? msg('The market has left {band}: {index}', values)
          : msg('The market is in {band}: {index}', values),
      summary: estimated
        ? msg('An estimate: the fear and greed index itself is unavailable now.')
        : msg('Fear and greed index of the whole market. Extremes can last for weeks.'),
      facts: [
        [msg('Index'), index],
        all > 0 && [msg('Coins with a positive signal'), msg('{up, number} of {all, number}', { up, all })],
      ],
      picture: {
        subject: estimated
          ? msg('Estimated fear and greed of the market')
          : msg('Fear and greed of the market'),
        line: [msg('Index'), past],
        marks: [
          side === 'EXTREME_FEAR' ? [msg('extreme fear below'), fear] : [msg('extreme greed from'), greed],
        ],
      },
    };
  },
});
