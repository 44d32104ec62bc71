import { z } from 'zod';
import { dataBlind } from '../alert/alert.ts';
import type { Detector } from '../detectors/detector.ts';
import { span, words } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import type { Config } from './config/config.ts';

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

/** Recognises the schema of a length of time: its value is in ms, but its default is text. */
const lengthOfTime = z.object({ def: z.object({ defaultValue: z.string() }) });
const level = z.union([z.string(), z.number()]);

type Phrase = (value: number | string, isTime: boolean) => Text | undefined;
/** A level that is a number means nothing without its unit: the alert says it. */
const named =
  (phrase: (level: Text) => Text): Phrase =>
  (value) =>
    typeof value === 'string' ? phrase(words(value)) : undefined;

/** The options that say by what and how often a detector judges, in the order in which they are told. */
const phrases: Readonly<Record<string, Phrase>> = {
  enter: named((level) => msg('begins at {level}', { level })),
  exit: named((level) => msg('ends at {level}', { level })),
  confirm: (value, isTime) =>
    isTime
      ? msg('holds for {length}', { length: span(Number(value)) })
      : value === 1
        ? undefined
        : msg('{n, plural, =2 {two} =3 {three} other {#}} checks in a row', { n: Number(value) }),
  cooldown: (value) => msg('at most one every {length}', { length: span(Number(value)) }),
};

/** Says by what a detector judges, from its configured options. Undefined if it has none that say so. */
export function thresholdOf({ options }: Pick<Detector, 'options'>, configured: unknown): Text | undefined {
  const given = z.record(z.string(), z.unknown()).safeParse(configured).data ?? {};
  const shape: Readonly<Record<string, unknown>> = options instanceof z.ZodObject ? options.shape : {};
  const told = Object.entries(phrases).flatMap(([key, phrase]) => {
    const value = level.safeParse(given[key]).data;
    const isTime = lengthOfTime.safeParse(shape[key]).success;
    return value === undefined ? [] : (phrase(value, isTime) ?? []);
  });
  return told.length === 0 ? undefined : join(told, '; ');
}
