import { z } from 'zod';
import { defaultPreset } from '../alert/presets.ts';
import type { Receiver } from '../alert/subscription.ts';
import { sampleCard } from '../card/sample-card.ts';
import { UserError } from '../language/errors.ts';
import { time } from '../language/format.ts';
import { type Reader, say } from '../language/say.ts';
import { msg, type Text } from '../language/text.ts';
import { createSubscription, wishOf } from '../places/subscriptions.ts';
import type { Platform, Whereabouts } from '../platforms/platform.ts';
import type { Caller } from '../shell/command.ts';
import type { Connecting, ConnectingState, NamedPlace } from '../shell/connecting.ts';
import { editingOf } from '../shell/editing.ts';
import { managerRights } from '../shell/rights.ts';
import type { Answering } from './answer-commands.ts';
import { parsePlace } from './ask-elsewhere.ts';
import type { UsedPlatform } from './config/config.ts';
import type { ConnectablePlatform } from './config/connectable.ts';
import { type GivenOptions, unreadable } from './config/connections.ts';
import { isSecret } from './config/environment.ts';
import type { Following, FollowingOptions } from './follow-connections.ts';

interface ConnectingOptions extends FollowingOptions {
  /** The platforms that the configuration turns on. */
  readonly used: readonly UsedPlatform[];
  readonly answering: Pick<Answering, 'contextOf' | 'reader'>;
}

/** What is kept of a platform. */
type KeptOf = 'here' | 'unreadable' | undefined;

/** Connects platforms for operators, and says how far each has come. */
export function createConnecting(following: Following, options: ConnectingOptions): Connecting {
  const { connections, used, connectable, senders, answering, wall } = options;

  const find = (name: string): ConnectablePlatform => {
    const found = connectable.find(({ platform }) => platform.name === name);
    if (found !== undefined) return found;
    if (used.some(({ platform }) => platform.name === name))
      throw new UserError(msg('{name} is set up by the environment or a file: change it there.', { name }), {
        code: 'conflict',
      });
    throw new UserError(msg('There is no platform "{name}" to connect.', { name }), { code: 'unknown' });
  };

  const stateOf = async (
    platform: Platform,
    { kept, reader }: { readonly kept: KeptOf; readonly reader: Reader },
  ): Promise<ConnectingState | undefined> => {
    const { name, connecting, addressFormat } = platform;
    if (connecting === undefined) return undefined;
    const translate = (text: Text) => say(text, reader);
    const whereabouts: Whereabouts = (await following.whereabouts(name)) ?? { places: [] };
    const { bot, places, barred = [], silentSince } = whereabouts;
    const isConfigured = used.some((each) => each.platform.name === name);
    const problem =
      kept === 'unreadable' && !isConfigured
        ? unreadable
        : (following.problemOf(name) ?? silenceProblem(connecting.title, silentSince));
    return {
      name,
      title: translate(connecting.title),
      source: isConfigured ? 'configuration' : kept === 'here' ? 'here' : null,
      steps: connecting.steps.map(translate),
      asks: asksOf(platform, translate),
      joining: connecting.joining && translate(connecting.joining),
      addressExample: addressFormat.example,
      bot,
      places,
      barred: barred.map(translate),
      problem: problem && translate(problem),
    };
  };
  /** Changes what is kept of a platform. Nothing that fails after that makes it a failure. */
  const change = async (
    name: string,
    {
      caller,
      to,
    }: { readonly caller: Caller; to(found: ConnectablePlatform): Promise<GivenOptions | undefined> },
  ): Promise<ConnectingState> => {
    const reader = await answering.reader(caller);
    const found = find(name);
    let given: GivenOptions | undefined;
    await following.change(async () => {
      given = await to(found);
      await connections.put(name, given);
    });
    const state = await stateOf(found.platform, { kept: given && 'here', reader });
    if (state === undefined) throw new Error(`${name} cannot be connected`);
    return state;
  };
  const list = async (caller: Caller): Promise<readonly ConnectingState[]> => {
    const [kept, reader] = await Promise.all([connections.read(), answering.reader(caller)]);
    const platforms = [...used, ...connectable].map(({ platform }) => platform);
    const keptOf = (name: string): KeptOf =>
      kept.given[name] !== undefined ? 'here' : kept.isUnreadable(name) ? 'unreadable' : undefined;
    const states = await Promise.all(
      platforms.map((platform) => stateOf(platform, { kept: keptOf(platform.name), reader })),
    );
    return states.filter((state) => state !== undefined).sort((a, b) => rankOf(a) - rankOf(b));
  };

  /** The receiver that is meant, on a platform that is open. */
  const receiverOf = (name: string, place: NamedPlace): Receiver => {
    const platform = senders.platforms.find((each) => each.platform.name === name)?.platform;
    if (platform === undefined)
      throw new UserError(msg('{name} is not connected yet.', { name }), { code: 'conflict' });
    if (typeof place === 'string') return parsePlace([platform], place.trim()).receiver;
    const { data } = platform.address.safeParse(place);
    if (data === undefined) throw new UserError(msg('That is no address of {name}.', { name }));
    return { notifier: name, address: data as Receiver['address'] };
  };

  return {
    list,
    connect: (name, { options: typed, caller }) =>
      change(name, {
        caller,
        async to({ platform, given }) {
          const own = ownOptions(platform, typed);
          const options = parseOptions(platform, { ...given, ...own });
          const problem = await platform.problem?.(options, wall.now);
          if (problem) throw new UserError(givenProblem(platform, problem), { code: 'conflict' });
          return own;
        },
      }),
    disconnect: (name, caller) => change(name, { caller, to: async () => undefined }),
    async sample(name, { place, caller }) {
      const receiver = receiverOf(name, place);
      const { kinds, tryPost, now } = await answering.contextOf(caller);
      const sample = kinds.find(
        ({ preset, sample }) => sample !== undefined && preset === defaultPreset,
      )?.sample;
      const card = sample && sampleCard(sample(now), now);
      if (card === undefined) throw new UserError(msg('No kind of alert has a sample.'), { code: 'unready' });
      await tryPost(receiver, card);
    },
    async begin(name, { place, caller }) {
      const receiver = receiverOf(name, place);
      const at = { ...caller, receiver, rights: managerRights, answeredElsewhere: true };
      const context = await answering.contextOf(at);
      const wish = wishOf({ symbols: ['*'] }, context.kinds, at);
      const { title } = await createSubscription(wish, editingOf(context), { spoken: caller.language });
      return say(title, context.caller);
    },
  };
}

const silenceProblem = (platform: Text, since: number | undefined): Text | undefined =>
  since === undefined
    ? undefined
    : msg('{platform} does not answer since {since}.', { platform, since: time(since) });

/** Says of what was just given why it is not accepted. */
const givenProblem = ({ connecting }: Platform, problem: Text): Text =>
  connecting !== undefined && problem === connecting.notAccepted
    ? msg('{platform} does not accept this: copy it again, and all of it.', { platform: connecting.title })
    : problem;

const rankOf = ({ joining, source }: ConnectingState): number =>
  (source === null ? 2 : 0) + (joining === undefined ? 1 : 0);

/** What the schema says of the options that are asked for. */
const inputSchema = z.object({
  properties: z.record(
    z.string(),
    z.looseObject({
      type: z.string().optional(),
      enum: z.array(z.string()).optional(),
      default: z.unknown().optional(),
      examples: z.array(z.string()).optional(),
    }),
  ),
  required: z.array(z.string()).default([]),
});
const inputOf = ({ options }: Platform) =>
  inputSchema.parse(z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' }));

function asksOf(platform: Platform, translate: (text: Text) => string): ConnectingState['asks'] {
  const { properties, required } = inputOf(platform);
  return Object.entries(platform.connecting?.asks ?? {}).map(([option, label]) => {
    const { enum: choices, default: usual, examples = [] } = properties[option] ?? {};
    return {
      option,
      label: translate(label),
      secret: isSecret(option),
      required: required.includes(option),
      choices,
      usual: usual === undefined || usual === null ? undefined : String(usual),
      example: examples[0],
    };
  });
}

/** Returns the options that are asked for and were given, each as its schema wants it. */
function ownOptions(platform: Platform, typed: Readonly<Record<string, unknown>>): GivenOptions {
  const { properties } = inputOf(platform);
  return Object.fromEntries(
    Object.keys(platform.connecting?.asks ?? {}).flatMap((option) => {
      const { [option]: value } = typed;
      if (typeof value !== 'string' || value.trim() === '') return [];
      const isNumber = properties[option]?.type === 'integer' && /^\d{1,9}$/.test(value.trim());
      return [[option, isNumber ? Number(value) : value.trim()]];
    }),
  );
}

/** Throws UserError with what is wrong, without what was given. */
function parseOptions(platform: Platform, given: GivenOptions): unknown {
  const { data, error } = platform.options.safeParse(given);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return data;
  const [option = ''] = issue.path.map(String);
  const label = platform.connecting?.asks[option] ?? option;
  throw new UserError(
    given[option] === undefined
      ? msg('{label}: give it.', { label })
      : msg('{label}: {problem}.', { label, problem: issue.message }),
  );
}
