import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { MarketKinds } from '../alert/market-kind.ts';
import type { Addresses, Receiver } from '../alert/subscription.ts';
import { sayCard } from '../card/say-card.ts';
import type { Client } from '../client/create-client.ts';
import { readerBy } from '../language/preferences.ts';
import type { Outlet } from '../pipeline/delivery.ts';
import { tryPost } from '../pipeline/try-post.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Ports } from '../platforms/ports.ts';
import type { WallClock } from '../runtime/clock.ts';
import { createPatience } from '../runtime/patience.ts';
import { second } from '../runtime/units.ts';
import type { Caller, CommandContext } from '../shell/command.ts';
import { type Completion, completeLine } from '../shell/complete.ts';
import type { Connecting } from '../shell/connecting.ts';
import { readOwnThings } from '../shell/own-things.ts';
import { readerOf } from '../shell/reader.ts';
import type { Rights } from '../shell/rights.ts';
import { runCommand } from '../shell/run.ts';
import { askElsewhere, parseOperatorPlace } from './ask-elsewhere.ts';

/** The parts of the bot that every conversation uses. */
export interface Answering extends Pick<Ports, 'ask' | 'listOwn' | 'reader'> {
  complete(line: string, caller: Caller): Promise<Completion[]>;
  /** Returns what a command of the caller's is given. */
  contextOf(caller: Caller): Promise<Omit<CommandContext, 'rewriteLine'>>;
}

interface AnsweringOptions
  extends Pick<
    CommandContext,
    'commands' | 'kinds' | 'preview' | 'records' | 'settings' | 'source' | 'status' | 'store'
  > {
  readonly client: Client;
  /** Called for each use, since connecting answers commands itself. */
  readonly connecting: () => Connecting;
  /** The persons who may operate the bot. */
  readonly operators: () => readonly string[];
  readonly outlets: readonly Outlet[];
  readonly universe: () => readonly string[];
  readonly listed: () => readonly string[];
  readonly marketKinds: () => MarketKinds;
  readonly addresses: Pick<Addresses, 'accountOf'>;
  readonly platforms: readonly Platform[];
  /** Market time, ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

/** How long a person's question may take, wall ms. */
const questionTimeout = 20 * second;
/** How long an answer waits for a part that may come later, wall ms. */
const partTimeout = second / 2;

export function createAnswering(options: AnsweringOptions): Answering {
  const { client, operators, outlets, universe, listed, marketKinds, addresses, platforms, now, wall, log } =
    options;
  const { commands, kinds, preview, records, settings, source, status, store } = options;
  const within = createPatience(wall, new AbortController().signal);

  const isOperatorPlace = ({ notifier }: Receiver): boolean =>
    platforms.some(({ name, operatorPlace }) => name === notifier && operatorPlace !== undefined);
  // Only the configuration makes a person an operator; the rights that a platform reports cannot.
  // So does a place that is the operator's own, such as the page, whose token says who its visitors are.
  // Whoever is to change nothing, as by a question of a view, operates nothing either.
  const rightsOf = ({ person, rights, receiver }: Caller): Rights => {
    const operates =
      (person !== undefined && rights.has('own') && operators().includes(person)) ||
      (rights.has('operate') && isOperatorPlace(receiver));
    const others = [...rights].filter((right) => right !== 'operate');
    return new Set(operates ? [...others, 'operate'] : others);
  };
  const traitsOf = ({ receiver: { notifier } }: Caller) => {
    const { rich, labels, readByPrograms } = platforms.find(({ name }) => name === notifier) ?? {};
    return { rich, labels, readByPrograms: readByPrograms ?? false };
  };
  const context = (caller: Caller): Omit<CommandContext, 'rewriteLine'> => ({
    commands,
    kinds,
    preview,
    records,
    settings,
    source,
    status,
    store,
    ...traitsOf(caller),
    isOperatorPlace: isOperatorPlace(caller.receiver),
    get connecting() {
      return options.connecting();
    },
    renewContext: () => context(caller),
    caller: { ...caller, rights: rightsOf(caller) },
    data: client.questions({ chat: addresses.accountOf(caller.receiver), person: caller.person }),
    now: now(),
    universe: universe(),
    listed: listed(),
    marketKinds: marketKinds(),
    async tryPost(receiver: Receiver, card) {
      const { language, timeZone } = caller;
      const slash = platforms.find(({ name }) => name === receiver.notifier)?.slash;
      const receiverReader = readerBy(await store.preferences.of(receiver), { language, timeZone, slash });
      await tryPost(outlets, {
        receiver,
        card: sayCard(card, receiverReader),
        signal: AbortSignal.timeout(questionTimeout),
      });
    },
    runElsewhere: (place, line) =>
      askElsewhere({ place: parseOperatorPlace(platforms, place), line, caller, ask }),
    soon: (work) => within(partTimeout, work),
    signal: AbortSignal.timeout(questionTimeout),
  });
  const reader: Answering['reader'] = (caller) => readerOf(caller, store);
  const contextOf = async (caller: Caller) => context({ ...caller, ...(await reader(caller)) });
  const own: Answering['listOwn'] = async (caller) => readOwnThings(await contextOf(caller));
  const ask: Answering['ask'] = (request, caller) =>
    runCommand(commands, {
      request,
      context: context(caller),
      report: (error) => {
        const reference = randomBytes(4).toString('hex');
        log.error({ err: error, reference }, 'a command failed');
        return reference;
      },
    });
  return {
    reader,
    listOwn: own,
    contextOf,
    ask,
    async complete(line, caller) {
      const { language } = await reader(caller);
      return completeLine(line, { context: { ...context(caller), own: await own(caller), language } });
    },
  };
}
