import type { Logger } from 'pino';
import { z } from 'zod';
import { defaultPreset } from '../alert/presets.ts';
import { type Receiver, receiverLabel } from '../alert/subscription.ts';
import { sampleCard } from '../card/sample-card.ts';
import { UserError } from '../language/errors.ts';
import { type Reader, say } from '../language/say.ts';
import { msg, type Text } from '../language/text.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Connecting, ConnectingState, NamedPlace } from '../platforms/connecting.ts';
import type { Platform, Whereabouts } from '../platforms/platform.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { startLoop } from '../runtime/loop.ts';
import { createTurns } from '../runtime/turns.ts';
import { second } from '../runtime/units.ts';
import type { Caller } from '../shell/command.ts';
import type { Answering } from './answer-commands.ts';
import { askElsewhere, parsePlace } from './ask-elsewhere.ts';
import type { ConnectablePlatform, UsedPlatform } from './config/config.ts';
import { isSecret } from './config/environment.ts';
import type { Connection, Connections } from './connections.ts';
import type { Conversations, Senders } from './platforms.ts';

interface ConnectingOptions {
  readonly connections: Connections;
  /** The platforms that the configuration turns on, and those that it leaves to be connected. */
  readonly used: readonly UsedPlatform[];
  readonly connectable: readonly ConnectablePlatform[];
  readonly senders: Pick<Senders, 'platforms' | 'open' | 'end' | 'readiness'>;
  readonly answering: Pick<Answering, 'ask' | 'contextOf' | 'reader'>;
  readonly wall: WallClock;
  readonly log: Logger;
}

export interface OwnConnecting extends Connecting {
  /** Opens what was connected before, with these conversations; from then on others can be connected. */
  start(conversations: Pick<Conversations, 'open' | 'end' | 'whereabouts'>): Promise<void>;
  /** Delivers by every open platform, and by those that are connected later. */
  deliverBy(pipeline: Pick<Pipeline, 'serve' | 'dismiss'>): Promise<void>;
  close(): Promise<void>;
}

/** How often the connections are read again that other processes may change, wall ms. */
const lookEvery = 10 * second;

/** Opens, while the bot runs, what operators connect, and closes what they disconnect. */
export function createConnecting(options: ConnectingOptions): OwnConnecting {
  const { connections, used, connectable, senders, answering, wall, log } = options;
  const inTurn = createTurns<'change'>();
  /** What is open: its options as they are kept, to notice another token. */
  const open = new Map<string, string>();
  const problems = new Map<string, Text>();
  let conversations: Pick<Conversations, 'open' | 'end' | 'whereabouts'> | undefined;
  let pipeline: Pick<Pipeline, 'serve' | 'dismiss'> | undefined;
  let closing = false;

  const find = (name: string): ConnectablePlatform => {
    const found = connectable.find(({ platform }) => platform.name === name);
    if (found !== undefined) return found;
    if (used.some(({ platform }) => platform.name === name))
      throw new UserError(msg('{name} is set up by the environment or a file: change it there.', { name }), {
        code: 'conflict',
      });
    throw new UserError(msg('There is no platform "{name}" to connect.', { name }), { code: 'unknown' });
  };

  const close = async (name: string) => {
    open.delete(name);
    problems.delete(name);
    await conversations?.end(name);
    await pipeline?.dismiss(name);
    await senders.end(name);
  };
  const openOne = async ({ platform, given }: ConnectablePlatform, kept: Connection) => {
    const { name } = platform;
    open.set(name, JSON.stringify(kept));
    try {
      const opened = senders.open({ platform, options: platform.options.parse({ ...given, ...kept }) });
      await pipeline?.serve(opened.outlet);
      await conversations?.open(opened);
      log.info({ platform: name }, 'connected');
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof z.ZodError)) throw error;
      problems.set(name, error instanceof ConfigError ? error.message : z.prettifyError(error));
      log.error({ platform: name, problem: error.message }, 'a connected platform cannot be opened');
    }
  };
  /** Opens and closes platforms until those are open that are kept. */
  const follow = async () => {
    const kept = await connections.read();
    for (const [name, options] of open) if (JSON.stringify(kept[name]) !== options) await close(name);
    for (const each of connectable) {
      const { [each.platform.name]: connection } = kept;
      if (connection !== undefined && !open.has(each.platform.name) && !closing)
        await openOne(each, connection);
    }
  };
  const change = <Result>(work: () => Promise<Result>): Promise<Result> =>
    inTurn('change', () => {
      if (closing)
        throw new UserError(msg('The bot is stopping: try again in a moment.'), { code: 'unready' });
      return work();
    });

  const looking = connections.shared
    ? startLoop(
        async () => {
          if (conversations !== undefined) await inTurn('change', follow);
          return lookEvery;
        },
        {
          wall,
          onError: (error) => log.error({ err: error }, 'could not read the connected platforms; retrying'),
        },
      )
    : undefined;

  const stateOf = async (
    platform: Platform,
    { kept, reader }: { readonly kept: Readonly<Record<string, Connection>>; readonly reader: Reader },
  ): Promise<ConnectingState | undefined> => {
    const { name, connecting, addressFormat } = platform;
    if (connecting === undefined) return undefined;
    const translate = (text: Text) => say(text, reader);
    const { bot, places }: Whereabouts = (await conversations?.whereabouts(name)) ?? { places: [] };
    const problem = senders.readiness.refusals.get(name) ?? problems.get(name);
    const isConfigured = used.some((each) => each.platform.name === name);
    return {
      name,
      title: translate(connecting.title),
      source: isConfigured ? 'configuration' : kept[name] === undefined ? null : 'here',
      steps: connecting.steps.map(translate),
      asks: asksOf(platform, translate),
      joining: connecting.joining && translate(connecting.joining),
      addressExample: addressFormat.example,
      bot,
      places,
      problem: problem && translate(problem),
    };
  };
  const readState = async (name: string, caller: Caller): Promise<ConnectingState> => {
    const state = (await list(caller)).find((each) => each.name === name);
    if (state === undefined) throw new Error(`${name} cannot be connected`);
    return state;
  };
  const list = async (caller: Caller): Promise<readonly ConnectingState[]> => {
    const [kept, reader] = await Promise.all([connections.read(), answering.reader(caller)]);
    const platforms = [...used, ...connectable].map(({ platform }) => platform);
    const states = await Promise.all(platforms.map((platform) => stateOf(platform, { kept, reader })));
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
      change(async () => {
        const { platform, given } = find(name);
        const own = ownOptions(platform, typed);
        const options = parseOptions(platform, { ...given, ...own });
        const problem = await platform.problem?.(options, wall.now);
        if (problem) throw new UserError(problem, { code: 'conflict' });
        if (closing)
          throw new UserError(msg('The bot is stopping: try again in a moment.'), { code: 'unready' });
        await connections.put(name, own);
        await close(name);
        await follow();
        return readState(name, caller);
      }),
    disconnect: (name, caller) =>
      change(async () => {
        find(name);
        await connections.put(name, undefined);
        await follow();
        return readState(name, caller);
      }),
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
      const named = { receiver, label: receiverLabel(receiver) };
      const { title, failure, summary } = await askElsewhere({
        place: named,
        line: 'subscribe',
        caller,
        ask: answering.ask,
      });
      const reader = await answering.reader(caller);
      if (failure !== undefined) throw new UserError(summary ?? title, { code: 'conflict' });
      return say(title, reader);
    },
    start: (given) =>
      change(async () => {
        conversations = given;
        await follow().catch((error: unknown) => {
          if (!(error instanceof ConfigError)) throw error;
          log.error({ problem: error.message }, 'the connected platforms are not opened');
        });
      }),
    deliverBy: (given) =>
      change(async () => {
        pipeline = given;
        for (const { outlet } of senders.platforms) await given.serve(outlet);
      }),
    async close() {
      closing = true;
      await looking?.stop();
      await inTurn('change', async () => {});
    },
  };
}

const rankOf = ({ joining, source }: ConnectingState): number =>
  (source === null ? 2 : 0) + (joining === undefined ? 1 : 0);

/** What the schema says of the options that are asked for. */
const inputSchema = z.object({
  properties: z.record(
    z.string(),
    z.looseObject({
      type: z.string().optional(),
      enum: z.array(z.string()).optional(),
      default: z.unknown(),
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
function ownOptions(platform: Platform, typed: Readonly<Record<string, unknown>>): Connection {
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
function parseOptions(platform: Platform, given: Connection): unknown {
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
