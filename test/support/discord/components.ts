/**
 * What Discord accepts as components (API docs, "Component reference"): rows below a message, and messages that consist of
 * components.
 */
import { z } from 'zod';

export const filled = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text.trim() !== '', 'This field is required');

export const customId = z.string().min(1).max(100);
/** The id of a component: 32 bits wide; 0 means none. */
const componentId = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .optional();
const commandButton = z.strictObject({
  type: z.literal(2),
  id: componentId,
  style: z.int().min(1).max(4),
  label: filled(80),
  custom_id: customId,
});
/** Opens a page and sends no interaction ("Button Styles"). */
const linkButton = z.strictObject({
  type: z.literal(2),
  id: componentId,
  style: z.literal(5),
  label: filled(80),
  url: z.url({ protocol: /^(https?|discord)$/ }).max(512),
});
const button = z.union([commandButton, linkButton]);
const choice = z.object({
  label: filled(100),
  value: z.string().min(1).max(100),
  description: z.string().max(100).optional(),
});
const select = z.object({
  type: z.literal(3),
  id: componentId,
  custom_id: customId,
  options: z.array(choice).min(1).max(25),
  placeholder: z.string().max(150).optional(),
});
const channelSelect = z.strictObject({
  type: z.literal(8),
  id: componentId,
  custom_id: customId,
  placeholder: z.string().max(150).optional(),
  channel_types: z.array(z.int().min(0).max(16)).optional(),
});
const roleSelect = z.strictObject({
  type: z.literal(6),
  id: componentId,
  custom_id: customId,
  placeholder: z.string().max(150).optional(),
  min_values: z.int().min(0).max(25).optional(),
  default_values: z
    .array(z.strictObject({ id: z.string().regex(/^\d{5,20}$/), type: z.literal('role') }))
    .max(1)
    .optional(),
});
export const row = z.object({
  type: z.literal(1),
  id: componentId,
  components: z.union([
    z.array(button).min(1).max(5),
    z.array(select).length(1),
    z.array(channelSelect).length(1),
    z.array(roleSelect).length(1),
  ]),
});

export const componentsV2 = 1 << 15;

const text = z.strictObject({ type: z.literal(10), id: z.int().optional(), content: filled(4_000) });
const section = z.strictObject({
  type: z.literal(9),
  components: z.array(text).min(1).max(3),
  accessory: button,
});
const separator = z.strictObject({
  type: z.literal(14),
  divider: z.boolean().optional(),
  spacing: z.int().min(1).max(2).optional(),
});
const part = z.union([text, section, separator, row]);
const container = z.strictObject({
  type: z.literal(17),
  accent_color: z.int().min(0).max(0xffffff).nullish(),
  spoiler: z.boolean().optional(),
  components: z.array(part).min(1),
});
const layout = z.array(z.union([part, container])).min(1);
export type Layout = z.output<typeof layout>;
type Part = z.output<typeof part>;

const partsOf = (components: Layout): Part[] =>
  components.flatMap((each) => (each.type === 17 ? each.components : [each]));
const inside = (each: Part): number =>
  each.type === 9 ? each.components.length + 1 : each.type === 1 ? each.components.length : 0;

/** Reads the components of a message. Returns what is wrong with them if they are invalid. */
export function readLayout(components: unknown): Layout | string {
  const parsed = layout.safeParse(components);
  if (!parsed.success) return parsed.error.message;
  const parts = partsOf(parsed.data);
  const containers = parsed.data.filter(({ type }) => type === 17).length;
  const count = parts.reduce((sum, each) => sum + 1 + inside(each), containers);
  if (count > 40) return `a message has at most 40 components, and this one ${count}`;
  const size = textOf(parsed.data).join('').length;
  return size > 4_000 ? `texts have at most 4000 characters together, and these ${size}` : parsed.data;
}

/** Returns every text of the components, top to bottom. */
export const textOf = (components: Layout): string[] =>
  partsOf(components).flatMap((each) =>
    each.type === 10 ? [each.content] : each.type === 9 ? each.components.map(({ content }) => content) : [],
  );

/** Returns every row of buttons. A button beside a text counts as a row. */
export const rowsOf = (components: Layout): z.output<typeof row>[] =>
  partsOf(components).flatMap((each) =>
    each.type === 1 ? [each] : each.type === 9 ? [{ type: 1 as const, components: [each.accessory] }] : [],
  );
