/** What Discord accepts as a modal, and what a person can do with one (API docs, "Modal" and "Label"). */
import { z } from 'zod';
import { customId, filled } from './components.ts';

const choice = z.strictObject({
  label: filled(100),
  value: z.string().min(1).max(100),
  description: filled(100).optional(),
  default: z.boolean().optional(),
});
const select = z
  .strictObject({
    type: z.literal(3),
    custom_id: customId,
    required: z.boolean().default(true),
    placeholder: z.string().max(150).optional(),
    options: z.array(choice).min(1).max(25),
  })
  .refine(
    ({ options }) => new Set(options.map(({ value }) => value)).size === options.length,
    'duplicated value',
  )
  .refine(({ options }) => options.filter((each) => each.default === true).length <= 1, 'too many defaults');
const input = z
  .strictObject({
    type: z.literal(4),
    custom_id: customId,
    style: z.union([z.literal(1), z.literal(2)]),
    min_length: z.int().min(0).max(4_000).optional(),
    max_length: z.int().min(1).max(4_000).default(4_000),
    required: z.boolean().default(true),
    value: z.string().max(4_000).optional(),
    placeholder: z.string().max(100).optional(),
  })
  .refine(({ value = '', max_length }) => value.length <= max_length, 'value is too long');
const label = z.strictObject({
  type: z.literal(18),
  label: filled(45),
  description: filled(100).optional(),
  component: z.union([select, input]),
});
export const modal = z
  .strictObject({ custom_id: customId, title: filled(45), components: z.array(label).min(1).max(5) })
  .refine(
    ({ components }) =>
      new Set(components.map(({ component }) => component.custom_id)).size === components.length,
    'Component custom id cannot be duplicated',
  );
export type Modal = z.output<typeof modal>;

/**
 * Returns what Discord sends when a person fills in the modal with these answers; all other inputs keep their preset values.
 * Throws if a person could not answer so: an option that does not exist, or a required input left empty.
 */
export function fillIn({ custom_id, components }: Modal, answers: Readonly<Record<string, string>>): object {
  const known = components.map(({ component }) => component.custom_id);
  const strange = Object.keys(answers).filter((key) => !known.includes(key));
  if (strange.length > 0) throw new Error(`the form does not ask for ${strange.join(', ')}`);
  return {
    custom_id,
    components: components.map(({ component }, index) => ({
      type: 18,
      id: 2 * index + 1,
      component: { id: 2 * index + 2, ...filledIn(component, answers[component.custom_id]) },
    })),
  };
}

function filledIn(component: Modal['components'][number]['component'], answer: string | undefined): object {
  const { type, custom_id, required } = component;
  if (type === 4) {
    const value = answer ?? component.value ?? '';
    if (value.length > component.max_length) throw new Error(`${custom_id} is too long to be typed`);
    if (required && value === '') throw new Error(`${custom_id} must be filled in`);
    return { type, custom_id, value };
  }
  const picked = answer ?? component.options.find((each) => each.default === true)?.value;
  if (picked !== undefined && component.options.every(({ value }) => value !== picked))
    throw new Error(`${custom_id} does not offer ${picked}`);
  if (required && picked === undefined) throw new Error(`${custom_id} must be picked`);
  return { type, custom_id, values: picked === undefined ? [] : [picked] };
}
