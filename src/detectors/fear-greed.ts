import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { follow, followed } from '../alert/follow.ts';
import { count, words } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { duration, hour } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';

const stale = hour;

/**
 * The fear and greed index, 0 to 100, enters one of its outer bands and leaves it. Bands are alternative.me's:
 * extreme fear below 25, extreme greed from 75 on; it is left `margin` inside them. The index itself comes once a
 * day; where the service has none that is fresh it estimates it, and the interface does not say which of them it is.
 */
export default defineDetector({
  name: 'fear-greed',
  description: msg('The market enters extreme fear or extreme greed, and leaves it'),
  preset: 'standard',
  schedule: '50 */15 * * * *',
  options: z
    .object({
      /** Below this is extreme fear. */
      fear: z.number().min(0).max(100).default(25),
      /** From this on is extreme greed. */
      greed: z.number().min(0).max(100).default(75),
      /** Points inside a band's border at which it is left. */
      margin: z.number().min(0).max(50).default(5),
      /** Looks in a row, of 15 minutes each, at newer data each time. */
      confirm: z.int().min(1).default(4),
      calm: z.int().min(1).default(4),
      cooldown: duration.prefault('3d'),
    })
    .refine(({ fear, greed, margin }) => fear + margin < greed - margin, 'fear and greed must not overlap'),
  state: followed.nullable(),
  observe: ({ data, signal }) => data.marketOverview({}, signal),

  step(state, { fearGreed, timestamp, coins }, { options, now }) {
    const at = Date.parse(timestamp);
    if (fearGreed === undefined || at > now || now - at > stale) return { state: state ?? null, changes: [] };
    const { fear, greed, margin } = options;
    const sighting = {
      at,
      side: fearGreed < fear + margin ? 'EXTREME_FEAR' : fearGreed >= greed - margin ? 'EXTREME_GREED' : null,
      strong: fearGreed < fear || fearGreed >= greed,
    };
    const { next, told } = follow(state ?? undefined, [sighting], options);
    const up = coins.filter((coin) => coin.signal > 0).length;
    const breadth =
      coins.length === 0
        ? []
        : [
            {
              name: msg('Coins with a positive signal'),
              value: msg('{up, number} of {all, number}', { up, all: coins.length }),
            },
          ];
    const index = msg('{index} of 100', { index: count(fearGreed) });
    return {
      state: next ?? null,
      changes: told.map(
        ([status, label]): Change => ({
          status,
          labels: { kind: 'fear-greed', band: label },
          severity: 'warning',
          annotations: {
            title:
              status === 'resolved'
                ? msg('The market has left {band}: {index}', { band: words(label), index })
                : msg('The market is in {band}: {index}', { band: words(label), index }),
            summary: msg(
              'Fear and greed index of the whole market: the published one where the data service has it, else its estimate. Extremes can last for weeks.',
            ),
            facts: [{ name: msg('Index'), value: index }, ...breadth],
            dataTime: at,
          },
        }),
      ),
    };
  },
});
