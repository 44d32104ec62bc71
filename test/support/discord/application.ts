import { z } from 'zod';
import type { Route } from './routes.ts';
import type { World } from './world.ts';

const name = z
  .string()
  .regex(/^[-_'\p{L}\p{N}]{1,32}$/u)
  .refine((text) => text === text.toLowerCase());
const description = z.string().min(1).max(100);
const localized = z
  .record(z.string().regex(/^[a-z]{2}(-[A-Z]{2}|-419)?$/), z.string().min(1).max(100))
  .optional();

const option = z
  .object({
    type: z.union([z.literal(3), z.literal(4), z.literal(5), z.literal(8), z.literal(10)]),
    name,
    description,
    description_localizations: localized,
    required: z.boolean().optional(),
    autocomplete: z.boolean().optional(),
    choices: z
      .array(
        z.object({ name: z.string().min(1).max(100), value: z.union([z.string().max(100), z.number()]) }),
      )
      .max(25)
      .optional(),
    min_value: z.number().optional(),
    max_value: z.number().optional(),
    max_length: z.int().min(1).max(6_000).optional(),
  })
  .strict()
  .refine(({ autocomplete, choices }) => !(autocomplete === true && (choices?.length ?? 0) > 0));

const unique = (list: readonly { readonly name: string }[]) =>
  new Set(list.map((each) => each.name)).size === list.length;

const command = z
  .object({
    name,
    description,
    description_localizations: localized,
    type: z.literal(1).optional(),
    contexts: z.array(z.int().min(0).max(2)).optional(),
    integration_types: z.array(z.int().min(0).max(1)).optional(),
    options: z
      .array(option)
      .max(25)
      .refine(unique)
      .refine(
        (list) =>
          list.every(
            ({ required }, index) =>
              required !== true || list.slice(0, index).every((before) => before.required === true),
          ),
        'Required options must be placed before non-required options',
      )
      .optional(),
  })
  .strict();
const commandList = z.array(command).max(100).refine(unique);

export interface ApplicationOptions {
  readonly world: World;
  readonly gatewayUrl: string;
  readonly shards: number;
}

/** Where the gateway is, who the bot is, and its commands. */
export function applicationRoutes({ world, gatewayUrl, shards }: ApplicationOptions) {
  const commands = { puts: 0, of: new Map<string, readonly unknown[]>() };
  const put = (scope: string, json: unknown) => {
    const parsed = commandList.safeParse(json);
    if (!parsed.success) {
      return {
        status: 400,
        body: { code: 50035, message: 'Invalid Form Body', errors: parsed.error.issues },
      };
    }
    commands.puts += 1;
    commands.of.set(scope, parsed.data);
    return {
      status: 200,
      body: parsed.data.map((each) => ({
        ...each,
        id: world.id(),
        application_id: world.application,
        version: world.id(),
        type: 1,
      })),
    };
  };
  const routes: Route[] = [
    {
      method: 'GET',
      path: /^\/gateway\/bot$/,
      bucket: 'gateway',
      answer: () => ({
        status: 200,
        body: {
          url: gatewayUrl,
          shards,
          session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 16 },
        },
      }),
    },
    {
      method: 'PUT',
      path: /^\/applications\/(\d+)\/commands$/,
      bucket: 'commands',
      answer: (_ids, { json }) => put('global', json),
    },
    {
      method: 'PUT',
      path: /^\/applications\/(\d+)\/guilds\/(\d+)\/commands$/,
      bucket: 'commands',
      answer: ([, guild], { json }) => put(guild ?? '', json),
    },
    {
      method: 'POST',
      path: /^\/users\/@me\/channels$/,
      bucket: 'dm',
      answer(_ids, { json }) {
        const { recipient_id } = json as { recipient_id: string };
        const { id } = world.addChannel({ type: 1, name: `dm-${recipient_id}` });
        return {
          status: 200,
          body: { id, type: 1, recipients: [{ id: recipient_id, username: 'someone', discriminator: '0' }] },
        };
      },
    },
  ];
  return { routes, commands };
}
