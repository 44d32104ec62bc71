/** What Discord accepts as a message, and the errors that it responds with otherwise. */
import { z } from 'zod';
import { componentsV2, filled, readLayout, row, rowsOf, textOf as textsOf } from './components.ts';
import type { StoredMessage } from './world.ts';

const snowflake = z.string().regex(/^\d{17,20}$/);
const embed = z
  .object({
    title: z.string().max(256).optional(),
    description: z.string().max(4_096).optional(),
    url: z.url().optional(),
    color: z.int().min(0).max(0xffffff).optional(),
    timestamp: z.iso.datetime().optional(),
    fields: z
      .array(z.object({ name: filled(256), value: filled(1_024), inline: z.boolean().optional() }))
      .max(25)
      .optional(),
    footer: z.object({ text: filled(2_048) }).optional(),
    author: z.object({ name: filled(256) }).optional(),
    image: z.object({ url: z.string() }).optional(),
  })
  .loose();

const mentionKinds = z.enum(['everyone', 'roles', 'users']);
export const messageBody = z
  .object({
    content: z.string().max(2_000).optional(),
    embeds: z.array(embed).max(10).optional(),
    components: z.array(row).max(5).optional(),
    nonce: z.union([z.string().max(25), z.int()]).optional(),
    enforce_nonce: z.boolean().optional(),
    flags: z.int().optional(),
    allowed_mentions: z
      .object({
        parse: z.array(mentionKinds).optional(),
        roles: z.array(snowflake).max(100).optional(),
        users: z.array(snowflake).max(100).optional(),
        replied_user: z.boolean().optional(),
      })
      .refine(
        ({ parse, roles }) => !(parse?.includes('roles') && roles?.length),
        'parse and roles exclude each other',
      )
      .optional(),
    message_reference: z
      .object({ message_id: snowflake, fail_if_not_exists: z.boolean().optional() })
      .loose()
      .optional(),
    attachments: z
      .array(
        z
          .object({
            id: z.union([z.int(), z.string()]),
            filename: z.string().optional(),
            // discord.js sends null for a file without a description.
            description: z.string().max(1_024).nullish(),
          })
          .loose(),
      )
      .max(10)
      .optional(),
  })
  .loose();
export type MessageBody = z.output<typeof messageBody> & {
  /**
   * The texts of a message that consists of components (IS_COMPONENTS_V2), top to bottom. This field exists only in the double.
   */
  readonly texts?: readonly string[];
};

export interface Upload {
  readonly filename: string;
  readonly size: number;
  readonly bytes: Uint8Array;
}

/**
 * Returns the attachments of a message with their descriptions. The id of an entry in `attachments` is the index of its file.
 */
export const attached = (body: MessageBody, files: readonly Upload[], newId: () => string) =>
  files.map(({ filename, size }, index) => {
    const description = body.attachments?.find(({ id }) => Number(id) === index)?.description;
    return { id: newId(), filename, size, ...(typeof description === 'string' && { description }) };
  });

type Rows = NonNullable<MessageBody['components']>;
const given = (rows: Rows): number[] =>
  rows
    .flatMap((row) => [row.id, ...row.components.map(({ id }) => id)])
    .filter((id) => (id ?? 0) !== 0) as number[];

/** Gives an id to every component: a component without one gets the next free number. */
export function numbered(rows: Rows): Rows {
  const taken = new Set(given(rows));
  let last = 0;
  const next = (id: number | undefined): number => {
    if (id !== undefined && id !== 0) return id;
    do last += 1;
    while (taken.has(last));
    return last;
  };
  return rows.map((row) => ({
    ...row,
    id: next(row.id),
    components: row.components.map((each) => ({ ...each, id: next(each.id) })),
  })) as Rows;
}

/** Status and JSON of an error response. */
export interface Refused {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly errors?: unknown;
}

const invalid = (path: string, message: string): Refused => ({
  status: 400,
  code: 50035,
  message: 'Invalid Form Body',
  errors: { [path]: { _errors: [{ code: 'BASE_TYPE_BAD', message }] } },
});

const textOf = (parts: readonly unknown[]): number =>
  parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);

/** Reads a message that consists of components (IS_COMPONENTS_V2): its texts, its buttons as rows, and the other fields. */
function readComponents(json: object, components: unknown): MessageBody | Refused {
  const { content, embeds, ...rest } = json as { content?: unknown; embeds?: unknown };
  for (const [name, value] of Object.entries({ content, embeds }))
    if (value !== undefined && value !== null)
      return invalid(name, 'The field cannot be used with MessageFlags.IS_COMPONENTS_V2');
  const layout = readLayout(components);
  if (typeof layout === 'string') return invalid('components', layout);
  const body = readMessage({ ...rest, flags: 0, components: [] }, [], true);
  if ('status' in body) return body;
  const rows = rowsOf(layout);
  const ids = rows.flatMap((each) =>
    each.components.flatMap((part) => ('custom_id' in part ? [part.custom_id] : [])),
  );
  if (new Set(ids).size < ids.length)
    return invalid('components', 'Component custom id cannot be duplicated');
  return { ...body, flags: componentsV2, components: rows, texts: textsOf(layout) };
}

/**
 * Reads a message, or returns the error. Lengths are counted in UTF-16 units, which are never fewer than what Discord counts.
 */
export function readMessage(
  json: unknown,
  files: readonly Upload[] = [],
  editing = false,
): MessageBody | Refused {
  const { flags = 0, components: whole } = (json ?? {}) as {
    flags?: number;
    components?: unknown;
  };
  if ((flags & componentsV2) !== 0) return readComponents(json as object, whole);
  const parsed = messageBody.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return invalid(issue?.path.join('.') ?? '', issue?.message ?? '');
  }
  const { content = '', embeds = [], components = [] } = parsed.data;
  const total = embeds.reduce(
    (sum, { title, description, footer, author, fields = [] }) =>
      sum +
      textOf([
        title,
        description,
        footer?.text,
        author?.name,
        ...fields.flatMap(({ name, value }) => [name, value]),
      ]),
    0,
  );
  if (total > 6_000) return invalid('embeds', 'Embed size exceeds maximum size of 6000');
  const ids = components.flatMap((each) =>
    each.components.flatMap((part) => ('custom_id' in part ? [part.custom_id] : [])),
  );
  if (new Set(ids).size < ids.length)
    return invalid('components', 'Component custom id cannot be duplicated');
  const own = given(components);
  if (new Set(own).size < own.length) return invalid('components', 'Component id cannot be duplicated');
  for (const { image } of embeds) {
    const name = image?.url.startsWith('attachment://') ? image.url.slice('attachment://'.length) : undefined;
    if (name !== undefined && files.every(({ filename }) => filename !== name)) {
      return invalid('embeds', `attachment ${name} was not uploaded`);
    }
  }
  if (files.some(({ size }) => size > 10 * 2 ** 20)) {
    return { status: 413, code: 40005, message: 'Request entity too large' };
  }
  const bare = embeds.every((each) => Object.keys(each).length === 0);
  const nothing = content.trim() === '' && bare && files.length === 0;
  if (nothing && !editing) return { status: 400, code: 50006, message: 'Cannot send an empty message' };
  return parsed.data;
}

/** Lists who is notified. Only mentions in `content` notify, as far as `allowed_mentions` permits. */
export function pinged({ content = '', allowed_mentions: allowed }: MessageBody): string[] {
  const may = (kind: z.output<typeof mentionKinds>, id: string) =>
    allowed === undefined ||
    allowed.parse?.includes(kind) === true ||
    (kind === 'roles' && allowed.roles?.includes(id) === true) ||
    (kind === 'users' && allowed.users?.includes(id) === true);
  return [...content.matchAll(/@everyone|@here|<@(&?)!?(\d+)>/g)].flatMap(([text, role, id = '']) =>
    may(text.startsWith('@') ? 'everyone' : role === '&' ? 'roles' : 'users', id) ? [text] : [],
  );
}

/** Returns a message as the API shows it: without the double's own fields, and with the nonce only when it was just created. */
export function shown({ pinged: _, nonce, ...message }: StoredMessage, created = false): object {
  return { ...message, ...(created && nonce !== undefined && { nonce }), tts: false, mentions: [] };
}
