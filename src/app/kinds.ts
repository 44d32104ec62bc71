import { dataBlind } from '../alert/alert.ts';
import { msg } from '../language/text.ts';
import type { Config } from './config/config.ts';
import { thresholdOf } from './config/threshold.ts';

/** Returns the kinds of alert that can be subscribed to. */
export const kindsOf = ({ detectors }: Pick<Config, 'detectors'>) => [
  ...detectors.map(({ detector, options }) => {
    const { name, description, preset, sample } = detector;
    const threshold = thresholdOf(detector, options);
    return {
      name,
      description,
      preset,
      sample,
      threshold,
      smallest: detector.smallest?.(options),
    };
  }),
  { name: dataBlind, description: msg('A subscribed alert has lost or regained its data') },
];

/** Returns the kinds whose alerts predict something about the price, which their record checks. */
export const predictionsOf = ({ detectors }: Pick<Config, 'detectors'>) =>
  detectors.flatMap(({ detector: { name, prediction } }) =>
    prediction === null ? [] : [{ name, way: prediction?.phrase }],
  );
