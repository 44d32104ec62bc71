import { z } from 'zod';
import type { Detector } from '../detectors/detector.ts';
import { span, words } from '../language/format.ts';
import { join, type Text } from '../language/text.ts';

/** Recognises the schema of a length of time: its value is in ms, but its default is text. */
const lengthOfTime = z.object({ def: z.object({ defaultValue: z.string() }) });
/** Recognises the schema of a group of options that has a default. */
const withDefault = z.object({ def: z.object({ innerType: z.instanceof(z.ZodObject) }) });
const group = z.record(z.string(), z.unknown());

/**
 * Describes the thresholds of a detector: its configured options that are words, numbers or lengths of time. Undefined if
 * there are none.
 */
export function thresholdOf({ options }: Pick<Detector, 'options'>, configured: unknown): Text | undefined {
  const { maxSymbols: _, ...judging } = group.safeParse(configured).data ?? {};
  const levels = levelsOf(judging, { schema: options, within: [] });
  return levels.length === 0 ? undefined : join(levels, ', ');
}

interface Place {
  readonly schema: unknown;
  /** Names of the groups that contain the option, outermost first. */
  readonly within: readonly string[];
}

function levelsOf(values: Readonly<Record<string, unknown>>, { schema, within }: Place): Text[] {
  const shape = shapeOf(schema);
  return Object.entries(values).flatMap(([key, value]): Text[] => {
    const name = [...within, key];
    const levelText = (level: Text) => [join([...name, level], ' ')];
    if (typeof value === 'string') return levelText(words(value));
    if (typeof value === 'number')
      return levelText(
        lengthOfTime.safeParse(shape[key]).success
          ? span(value)
          : { number: value, as: { maximumSignificantDigits: 6 } },
      );
    const inner = Array.isArray(value) ? undefined : group.safeParse(value).data;
    return inner === undefined ? [] : levelsOf(inner, { schema: shape[key], within: name });
  });
}

const shapeOf = (schema: unknown): Readonly<Record<string, unknown>> =>
  schema instanceof z.ZodObject
    ? schema.shape
    : (withDefault.safeParse(schema).data?.def.innerType.shape ?? {});
