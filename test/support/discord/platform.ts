import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Agent, setGlobalDispatcher } from 'undici';
import type { Receiver } from '#src/alert/subscription.ts';
import type { Card } from '#src/card/card.ts';
import { startDiscord as startPlatform } from '#src/platforms/discord/discord.ts';
import { openNotifier } from '#src/platforms/discord/notifier.ts';
import { type DiscordOptions, options } from '#src/platforms/discord/options.ts';
import type { Ports } from '#src/platforms/ports.ts';
import { scrub } from '#src/runtime/secret.ts';
import { minute } from '#src/runtime/units.ts';
import type { Caller, CommandContext } from '#src/shell/command.ts';
import type { CommandRequest } from '#src/shell/request.ts';
import { commandPorts } from '../command-ports.ts';
import { commandContext } from '../commands.ts';
import { memoryPlaces } from '../places.ts';
import { conversationPorts } from '../ports.ts';
import { type Discord, type DiscordOptions as DoubleOptions, startDiscord } from './discord.ts';
import { type Answered, plainMessage } from './interactions.ts';
import { fillIn } from './modal.ts';
import type { StoredChannel } from './world.ts';

/** Permission bits of a member: Manage Guild, Mention Everyone, Manage Roles. */
const [manageGuild, mentionEveryone, manageRoles] = [1 << 5, 1 << 17, 1 << 28];
/** Permission bits of the bot: view, send, embed, attach, read history, mention everyone, send in threads. */
const ofBot = 379_968 + mentionEveryone + 2 ** 38;
/**
 * Permission bits of the bot in a direct message: attach, embed, mention everyone, external emojis, and neither view nor send
 * (API docs, "Interaction structure").
 */
const inMessages = (1 << 15) | (1 << 14) | mentionEveryone | (1 << 18);
export const userId = '333333333333333333';

// In the bot's process undici is loaded before anything calls fetch. A test runner has already called it, so undici's
// dispatcher must be set.
setGlobalDispatcher(new Agent());

export interface Asking {
  /** The channel: a DM if `guildId` is omitted. */
  readonly channelId: string;
  readonly guildId?: string | undefined;
  readonly manages?: boolean;
  /** Whether the member may mention every role. */
  readonly mentionsAll?: boolean;
  /** The channel that a thread belongs to. */
  readonly parentId?: string;
  /** The language of the user's app. */
  readonly locale?: string;
  /** Whether the bot is not a member of the guild. */
  readonly stranger?: boolean;
  /** The bot's permissions there; all that it needs if omitted. */
  readonly rights?: string;
  /** Whether the member may manage roles. */
  readonly managesRoles?: boolean;
  /** The ids of the member's roles. */
  readonly roles?: readonly string[];
  /** The author and the components of the message whose button is pressed. */
  readonly message?: { readonly author?: string; readonly components: readonly unknown[] };
  /** The id of the user; always the same one if omitted. */
  readonly userId?: string;
}

/** Builds an interaction as the gateway delivers it, without id and token. */
export function interaction(
  type: 2 | 3 | 4 | 5,
  data: object,
  {
    channelId,
    guildId,
    manages = true,
    mentionsAll = false,
    managesRoles = false,
    roles = [],
    message,
    parentId,
    locale = 'en-US',
    userId: id = userId,
    rights = String(guildId === undefined ? inMessages : ofBot),
  }: Asking,
): object {
  const user = { id, username: 'ada', discriminator: '0', global_name: 'Ada' };
  const channel = {
    id: channelId,
    type: guildId === undefined ? 1 : parentId === undefined ? 0 : 11,
    ...(parentId !== undefined && { parent_id: parentId, name: 'a thread' }),
    ...(guildId === undefined ? { recipients: [user] } : { guild_id: guildId }),
  };
  const permissions = String(
    (manages ? manageGuild : 0) | (mentionsAll ? mentionEveryone : 0) | (managesRoles ? manageRoles : 0),
  );
  return {
    type,
    data,
    version: 1,
    locale,
    entitlements: [],
    authorizing_integration_owners: {},
    app_permissions: rights,
    attachment_size_limit: 10_485_760,
    channel_id: channelId,
    channel,
    context: guildId === undefined ? 1 : 0,
    ...(guildId === undefined
      ? { user }
      : {
          guild_id: guildId,
          member: {
            user,
            permissions,
            roles,
            joined_at: '2026-01-01T00:00:00.000Z',
            deaf: false,
            mute: false,
            flags: 0,
          },
        }),
    ...(type === 3 && {
      message: {
        ...plainMessage,
        id: '444444444444444444',
        channel_id: channelId,
        author: message?.author === undefined ? user : { ...user, id: message.author },
        timestamp: '2026-01-01T00:00:00.000Z',
        components: message?.components ?? [],
      },
    }),
  };
}

/** A selected role or an attached file. */
export interface Picked {
  readonly role?: string;
  readonly file?: { readonly name: string; readonly text: string };
}
export type Given = Readonly<Record<string, string | number | boolean | Picked>>;
const optionTypes = { string: 3, number: 4, boolean: 5, role: 8, file: 11 };
const kindOfOption = (value: Given[string]) => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return value.role === undefined ? 'file' : 'role';
};

export const slashOptions = (given: Given) =>
  Object.entries(given).map(([name, value]) => ({
    name,
    type: optionTypes[kindOfOption(value)],
    value: typeof value === 'object' ? (value.role ?? name) : value,
  }));

/** Builds the data of a slash command, e.g. `alert create` with its options, with the roles and files among the options. */
function slashData(path: string, given: Given, { guilds, attach }: Discord): object {
  const [name, action] = path.split(' ');
  const options = slashOptions(given);
  const roles = [...guilds.values()].flatMap(({ roles }) => roles).map((role) => [role.id, role]);
  const attachments = Object.entries(given).flatMap(([key, value]) =>
    typeof value !== 'object' || value.file === undefined ? [] : [[key, { id: key, ...attach(value.file) }]],
  );
  return {
    id: '1',
    name,
    type: 1,
    options: action === undefined ? options : [{ name: action, type: 1, options }],
    resolved: { roles: Object.fromEntries(roles), attachments: Object.fromEntries(attachments) },
  };
}

/** Starts a double of Discord with a guild, and the platform connected to it through discord.js. */
export async function platformFixture(
  given: {
    readonly double?: DoubleOptions;
    readonly options?: Partial<DiscordOptions>;
    readonly known?: readonly Receiver[];
    readonly places?: ReturnType<typeof memoryPlaces>;
    readonly discord?: Discord;
    /** Whether the double goes on when the platform is closed. */
    readonly keepsDouble?: boolean;
    ask?(request: CommandRequest, caller: Caller): Promise<Card<string>>;
    /** What the commands are given otherwise than usual. */
    readonly context?: Partial<CommandContext>;
    readonly ports?: Partial<Ports>;
  } = {},
) {
  // Interactions get a minute to be answered, because the machine may be busy; tests of the timeout set their own.
  const discord = given.discord ?? (await startDiscord({ patience: minute, ...given.double }));
  const { guild, channel } =
    [...discord.guilds.values()].map((each) => ({
      guild: each,
      channel: discord.channels.get(each.channels[0] ?? ''),
    }))[0] ?? discord.addGuild();
  if (channel === undefined) throw new Error('the guild has a channel');
  const memory = given.places ?? memoryPlaces(given.known);
  const context = commandContext(given.context);
  const logged: string[] = [];
  const asked: { request: CommandRequest; caller: Caller }[] = [];
  const ports = conversationPorts({ now: () => context.now });
  const openOptions = options.parse({ token: discord.token, apiUrl: discord.url });
  const connection = openNotifier(openOptions, ports);
  const usual = commandPorts(context);
  const post: Ports['post'] = async ({ address }, { card, signal, id: given }) => {
    const id = given ?? randomUUID().slice(0, 22);
    await ports.pace.take(`${address.channelId}/post`, { lane: 'urgent', signal });
    const posted = { id, version: id, card, loud: false, doubt: given !== undefined };
    await connection.send(posted, { address, signal });
  };
  const platform = startPlatform(
    { ...openOptions, ...given.options },
    {
      ...ports,
      ...usual,
      ask(request, caller) {
        asked.push({ request, caller });
        return given.ask?.(request, caller) ?? usual.ask(request, caller);
      },
      places: memory.places,
      recall: memory.places.recall,
      post,
      log: pino(
        { level: 'debug', hooks: { streamWrite: scrub } },
        { write: (text) => void logged.push(text) },
      ),
      ...given.ports,
    },
  );
  const here: Asking = { channelId: channel.id, guildId: guild.id };
  const send = (type: 2 | 3 | 4 | 5, data: object, at: Partial<Asking> = {}): Promise<Answered> =>
    discord.interact(interaction(type, data, { ...here, ...at }));
  const close = async () => {
    await platform.close();
    await connection.close?.();
    if (given.keepsDouble !== true) await discord.close();
  };
  return {
    discord,
    guild,
    channel,
    platform,
    post,
    asked,
    logged,
    context,
    ...memory,
    slash: (name: string, input: Given = {}, at: Partial<Asking> = {}): Promise<Answered> =>
      send(2, slashData(name, input, discord), at),
    /** Chooses an entry in the menu of a message with these components. */
    menu: (name: string, components: readonly unknown[], at: Partial<Asking> = {}): Promise<Answered> => {
      const { message } = interaction(3, {}, { ...here, ...at }) as { message: { id: string } };
      const messages = { [message.id]: { ...message, components } };
      return send(2, { id: '1', name, type: 3, target_id: message.id, resolved: { messages } }, at);
    },
    press: (custom_id: string, at?: Partial<Asking>) => send(3, { custom_id, component_type: 2 }, at),
    choose: (value: string) => send(3, { custom_id: 'menu', component_type: 3, values: [value] }),
    /** Chooses a channel in a menu of channels. */
    chooseChannel(custom_id: string, { id, name, type }: StoredChannel, at?: Partial<Asking>) {
      const resolved = { channels: { [id]: { id, name, type, permissions: '0' } } };
      return send(3, { custom_id, component_type: 8, values: [id], resolved }, at);
    },
    /** Chooses a role in a menu of roles, or none. */
    chooseRole(custom_id: string, role: string | undefined, at?: Partial<Asking>) {
      const values = role === undefined ? [] : [role];
      return send(3, { custom_id, component_type: 6, values, resolved: { roles: {} } }, at);
    },
    /** Submits the shown form with these answers. */
    submit({ modal }: Answered, answers: Given, at?: Partial<Asking>): Promise<Answered> {
      if (modal === undefined) throw new Error('no form was shown');
      const given = Object.fromEntries(Object.entries(answers).map(([key, text]) => [key, String(text)]));
      return send(5, fillIn(modal, given), at);
    },
    type: (name: string, input: string, value: string): Promise<Answered> =>
      send(4, { id: '1', name, type: 1, options: [{ name: input, type: 3, value, focused: true }] }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts the platform, and waits until people can talk to it. */
export async function readyFixture(given: Parameters<typeof platformFixture>[0] = {}) {
  const f = await platformFixture(given);
  if (!(await f.platform.ready)) throw new Error('Discord refuses the bot');
  return f;
}

export const embedOf = ({ message }: Pick<Answered, 'message'>) => message.embeds?.[0];
export const textOf = (answered: Answered): string =>
  `${embedOf(answered)?.title} ${embedOf(answered)?.description ?? ''}`;

/** Waits for a condition that asynchronous events fulfil. Has no timeout but the test's own. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
