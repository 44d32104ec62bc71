import { pino } from 'pino';
import { createAnswering } from '#src/app/answer-commands.ts';
import type { Config } from '#src/app/config/config.ts';
import { keepMeta } from '#src/app/upkeep.ts';
import { createClient } from '#src/client/create-client.ts';
import { trackMeta } from '#src/client/meta.ts';
import type { RequestLog } from '#src/client/request-budget.ts';
import { isLimited } from '#src/client/retry.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { contract, type EndpointName } from '#src/contract/index.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { createWatch, type Watched } from '#src/pipeline/watch.ts';
import { realTime, type WallClock } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { hour, second } from '#src/runtime/units.ts';
import { memberRights } from '#src/shell/rights.ts';
import { openStore } from '#src/store/open.ts';
import { addresses } from '#test/support/addresses.ts';
import { commandContext } from '#test/support/commands.ts';
import { noConnecting } from '#test/support/console.ts';
import { seeded } from '#test/support/random.ts';
import { rule, ruleDetector } from '#test/support/rules.ts';
import { configured } from '#test/support/settings.ts';
import { virtualClock } from '#test/support/virtual-clock.ts';
import type { Look } from './ages.ts';
import { feedOf, limitedService } from './service.ts';

/** A Monday, 20 s before noon UTC. */
export const begin = Date.UTC(2026, 8, 7, 11, 59, 40);

/** Questions that people ask, with one random market each. */
const lines = [
  'market',
  'coin',
  'funding',
  'oi',
  'liquidations',
  'basis',
  'cvd',
  'ratio',
  'spread',
  'regime',
  'options',
];
const ofMarket = new Set(['coin', 'funding', 'oi', 'basis', 'cvd', 'ratio', 'spread']);
const people = 20;

export interface LifeOptions {
  readonly symbols: readonly string[];
  /** Market ms to live through. */
  readonly length: number;
  /** Market ms between two questions of people, on average. */
  readonly askEvery: number;
}

/** Runs detectors, own rules and people, as configured by default, against a service that enforces its request limit. */
export async function live({ symbols, length, askEvery }: LifeOptions) {
  const { wall, until, counted } = virtualClock(begin);
  const market = realTime(wall);
  const log = pino({ level: 'silent' });
  const store = await openStore('file::memory:');
  const config = configured();
  const { budget, timeout, maxBody } = config.data;
  const service = limitedService({ wall, symbols, ...budget });
  const { requestLog, questions } = noting(counted(store.requests));
  const client = createClient({
    baseUrl: 'http://service/api/v1',
    wall,
    steady: wall,
    market: () => market,
    budget: { ...budget, log: requestLog },
    timeouts: { attempt: timeout, patience: 5 * second },
    maxBody,
    random: seeded(7),
    http: service.http,
  });

  const looks = new Map<string, { readonly name: EndpointName; readonly looks: Look[] }>();
  const refusals = { polls: [] as number[], questions: [] as number[] };
  const polls = answered(client.polls, {
    had(feed, name) {
      const known = looks.get(feed) ?? { name, looks: [] };
      looks.set(feed, known);
      const { at: asked, stamp } = service.served(feed) ?? { at: Number.NaN, stamp: Number.NaN };
      known.looks.push({ at: wall.now(), stamp, asked });
    },
    refused: () => refusals.polls.push(wall.now()),
  });
  keepMeta({ meta: trackMeta(polls, { wall }), wall, log, failed: () => {} }, async () => {});
  const universe = () => symbols;
  const watching = { store: counted(store), market: () => market, wall, log, universe };
  createWatch({ ...watching, watched: watchedBy(config, symbols), data: polls }).start({
    dispatch: async () => {},
  });

  const { commands, kinds, preview, records, source, status } = commandContext();
  const shared = { commands, kinds, preview, records, source, status, store, addresses, log, universe };
  const answering = createAnswering({
    ...shared,
    listed: universe,
    marketKinds: () => ({}),
    client: {
      ...client,
      questions: (asker) =>
        answered(client.questions(asker), {
          had: () => {},
          refused: () => refusals.questions.push(wall.now()),
        }),
    },
    settings: config,
    connecting: () => noConnecting,
    operators: () => [],
    outlets: [],
    platforms: [],
    now: wall.now,
    wall,
  });
  const asking = letAsk(answering, { wall, symbols, askEvery });

  const end = begin + length;
  await until(() => wall.now() >= end, end + hour);
  client.close();
  return {
    looks,
    budget,
    asked: service.asked.filter(({ at }) => at <= end),
    questions,
    refusals,
    people: asking.counts,
  };
}

/** Returns the detectors that the bot watches, and one own rule about the open interest of each symbol. */
function watchedBy({ detectors, rules }: Config, symbols: readonly string[]): Watched[] {
  const own = symbols.map((symbol, index) =>
    rule({ id: `r${index}`, condition: 'oi.ratePct > 5', symbols: [symbol] }),
  );
  const detector = ruleDetector(
    () => own,
    () => symbols,
  );
  return [
    ...detectors.filter(({ enabled }) => enabled),
    // The watch holds detectors without their types.
    {
      detector: detector as unknown as Detector,
      options: { requests: rules.requests },
      schedule: rules.schedule,
    },
  ].map((each) => ({ ...each, schedule: createSchedule(each.schedule) }));
}

/** Wraps the log so that it also records which requests were made for people. */
function noting(log: RequestLog) {
  const questions: { readonly at: number }[] = [];
  const requestLog: RequestLog = {
    shared: log.shared,
    load: log.load,
    giveBack: log.giveBack,
    async take(key, request) {
      const taken = await log.take(key, request);
      if (taken && key.endsWith(' questions')) questions.push(request);
      return taken;
    },
  };
  return { requestLog, questions };
}

/** Lets people ask at random times, independently of each other. */
function letAsk(
  { ask }: Pick<ReturnType<typeof createAnswering>, 'ask'>,
  { wall, symbols, askEvery }: { readonly wall: WallClock } & Omit<LifeOptions, 'length'>,
) {
  const random = seeded(11);
  const counts = { asked: 0, unanswered: 0 };
  const one = async (): Promise<void> => {
    const person = Math.floor(random() * people);
    const name = lines[counts.asked++ % lines.length] ?? '';
    const line = ofMarket.has(name) ? `${name} ${symbols[Math.floor(random() * symbols.length)]}` : name;
    const answer = await ask(line, {
      receiver: { notifier: 'telegram', address: { chatId: String(-1 - Math.floor(person / 2)) } },
      user: `person ${person}`,
      person: `telegram:${person}`,
      rights: memberRights,
      language: 'en',
      timeZone: 'UTC',
    });
    // An answer for the asker alone says that something went wrong.
    if (answer.failure !== undefined) counts.unanswered += 1;
  };
  const all = async (): Promise<void> => {
    for (;;) {
      await wall.sleep(-Math.log(1 - random()) * askEvery);
      void one();
    }
  };
  void all();
  return { counts };
}

/** Wraps a client so that it reports each answer, and each request that was refused by the budget or the limit. */
function answered(
  data: DataClient,
  {
    had,
    refused,
  }: {
    readonly had: (feed: string, name: EndpointName) => void;
    readonly refused: () => void;
  },
): DataClient {
  const names = Object.keys(contract) as EndpointName[];
  const method = (name: EndpointName) => async (query: object | undefined, signal?: AbortSignal) => {
    try {
      const ask = data[name] as (query?: object, signal?: AbortSignal) => Promise<unknown>;
      const answer = await ask(query, signal);
      had(feedOf(name, query ?? {}), name);
      return answer;
    } catch (error) {
      if (error instanceof ApiError && isLimited(error)) refused();
      throw error;
    }
  };
  return Object.fromEntries(names.map((name) => [name, method(name)])) as unknown as DataClient;
}
