import { z } from 'zod';
import type { Detector } from '../detectors/detector.ts';
import { span, words } from '../language/format.ts';
import { join, type Text } from '../language/text.ts';

/** What an option's schema holds where it is left out. */
const givenAs = z.object({ def: z.object({ defaultValue: z.string() }) });
const values = z.record(z.string(), z.unknown());

/** By what a detector judges: its options that are levels, numbers or lengths of time, as configured. */
export function thresholdOf({ options }: Pick<Detector, 'options'>, configured: unknown): Text | undefined {
  const shape = options instanceof z.ZodObject ? options.shape : {};
  const said = Object.entries(values.safeParse(configured).data ?? {}).flatMap(([name, value]) => {
    if (name === 'maxSymbols') return [];
    if (typeof value === 'string') return join([name, words(value)], ' ');
    if (typeof value !== 'number') return [];
    // A length of time is configured as text, and kept in ms.
    const isSpan = givenAs.safeParse(shape[name]).success;
    return join([name, isSpan ? span(value) : { number: value, as: { maximumSignificantDigits: 6 } }], ' ');
  });
  return said.length === 0 ? undefined : join(said, ', ');
}
