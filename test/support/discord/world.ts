/** The part of Discord's state that a bot can see: guilds, channels, messages. Ids are ascending snowflakes. */

export interface StoredMessage {
  readonly id: string;
  /** 0 a plain message, 21 the first one of a thread, which stands for the message that it was opened under. */
  readonly type: 0 | 21;
  readonly channel_id: string;
  readonly author: { readonly id: string; readonly bot: boolean };
  readonly timestamp: string;
  edited_timestamp: string | null;
  content: string;
  embeds: readonly Record<string, unknown>[];
  components: readonly unknown[];
  attachments: readonly {
    readonly id: string;
    readonly filename: string;
    readonly size: number;
    readonly description?: string;
  }[];
  flags: number;
  readonly nonce?: string | number;
  readonly message_reference?: { readonly message_id: string };
  /** Who was notified by a mention. This field exists only in the double. */
  readonly pinged: readonly string[];
}

/** 0 text, 1 DM, 4 category, 5 announcement, 11 public thread, 12 private thread, 15 forum. */
export type ChannelType = 0 | 1 | 4 | 5 | 11 | 12 | 15;

export interface StoredChannel {
  readonly id: string;
  readonly type: ChannelType;
  readonly guild_id?: string;
  readonly parent_id?: string;
  name: string;
  /** Whether the bot may see and send here; a closed DM cannot be sent to. */
  canView: boolean;
  canSend: boolean;
  /** Whether members may only read here; the bot may send all the same. */
  readOnly: boolean;
  /** Whether the bot may read earlier messages, which it needs to reply to one. */
  canReadHistory: boolean;
  /** Whether the bot may attach files here. */
  canAttach: boolean;
  /** Whether a forum takes no post without a tag. */
  requiresTag: boolean;
  archived: boolean;
  locked: boolean;
  /** Whether edits of messages older than an hour are refused. */
  refusesOldEdits: boolean;
  /** Whether the bot may pin messages, and change the channel. */
  canPin: boolean;
  canManage: boolean;
  topic: string;
  /** Ids of its pinned messages, the latest first. */
  pins: string[];
  /** Ids of the channels that follow this announcement channel. */
  readonly followers: string[];
  messages: StoredMessage[];
  overwrites?: readonly { readonly id: string; readonly allow: string; readonly deny: string }[];
}

export interface StoredRole {
  readonly id: string;
  readonly name: string;
  /** Whether anyone may mention the role. */
  readonly mentionable: boolean;
  /** Permission bits; none if left out. */
  permissions?: string;
}

export interface StoredGuild {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  system_channel_id: string | null;
  /** SUPPRESS_JOIN_NOTIFICATIONS is 1. */
  system_channel_flags: number;
  rules_channel_id: string | null;
  public_updates_channel_id: string | null;
  readonly channels: string[];
  /** The roles besides @everyone, the lowest first. */
  readonly roles: StoredRole[];
  /** The bot's own role: its permissions, and how many of the roles stand below it. */
  bot?: { readonly permissions: string; readonly above: number };
  /** How the bot looks here; left out: as everywhere. */
  looks?: { readonly nick?: string | null | undefined; readonly avatar?: string | null | undefined };
  /** Permission bits of everyone; View Channel and Use Application Commands if left out. */
  everyone?: string;
  /** Until when members may not speak, by their ids. */
  timeouts?: ReadonlyMap<string, string>;
  /** What each member has, by the member's id. */
  readonly members: Map<string, Set<string>>;
}

export interface World {
  readonly application: string;
  readonly guilds: Map<string, StoredGuild>;
  readonly channels: Map<string, StoredChannel>;
  id(): string;
  /** Contents of the files that people attached, by the path from which they are fetched. */
  readonly uploads: Map<string, string>;
  addChannel(given?: Partial<StoredChannel>): StoredChannel;
  /** Adds a guild with one text channel, which is also its system channel. */
  addGuild(name?: string): { readonly guild: StoredGuild; readonly channel: StoredChannel };
}

export function createWorld(): World {
  // The last id: begins at 2026-01-01 and grows by one with each id, so later objects have higher ids.
  let last = (BigInt(Date.UTC(2026, 0, 1) - 1_420_070_400_000) << 22n) + 1n;
  const id = () => String(++last);
  const guilds = new Map<string, StoredGuild>();
  const channels = new Map<string, StoredChannel>();

  const addChannel: World['addChannel'] = (given = {}) => {
    const channel: StoredChannel = {
      id: id(),
      type: 0,
      name: 'alerts',
      canView: true,
      canSend: true,
      readOnly: false,
      canReadHistory: true,
      canAttach: true,
      requiresTag: false,
      archived: false,
      locked: false,
      refusesOldEdits: false,
      canPin: true,
      canManage: true,
      topic: '',
      pins: [],
      followers: [],
      messages: [],
      ...given,
    };
    channels.set(channel.id, channel);
    guilds.get(channel.guild_id ?? '')?.channels.push(channel.id);
    return channel;
  };
  return {
    application: id(),
    uploads: new Map(),
    guilds,
    channels,
    id,
    addChannel,
    addGuild(name = 'A guild') {
      const guildId = id();
      const channel = addChannel({ guild_id: guildId, name: 'general' });
      const guild: StoredGuild = {
        id: guildId,
        name,
        owner_id: id(),
        system_channel_id: channel.id,
        system_channel_flags: 0,
        rules_channel_id: null,
        public_updates_channel_id: null,
        channels: [channel.id],
        roles: [
          { id: id(), name: 'traders', mentionable: true },
          { id: id(), name: 'staff', mentionable: false },
        ],
        members: new Map(),
      };
      guilds.set(guildId, guild);
      return { guild, channel };
    },
  };
}
