import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load } from './http/load.ts';
import type { Listening, Memory } from './http/process.ts';
import { type Figure, percentile, report } from './measuring/figures.ts';
import { load as machineLoad } from './measuring/program.ts';

/** Paths that bots ask for all the time. */
const hot = [
  '/api/v1/regime/probabilities',
  '/api/v1/market/overview',
  '/api/v1/funding/extremes?limit=100',
  '/api/v1/oi/momentum?symbol=BTCUSDT&hours=6',
  '/api/v1/liquidations?limit=500',
  '/api/v1/intelligence?symbol=ETHUSDT',
];
const connections = 64;
/** Rounds of each server, in turn, so that other work of the machine affects both. */
const rounds = 7;
const perRound = 4_000;
/** Requests after which the code is fully compiled; the service needs more of them than the bare route. */
const warmUp = 20_000;

/**
 * `npm run bench -- http [-- --requests 200000]`: the data service's hot endpoints compared with a bare Fastify route that
 * returns the same bytes, and the service's memory over that many requests of all kinds.
 */
export default async function http(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { requests: { type: 'string', default: '200000' } } });
  const child = fork(join(import.meta.dirname, 'http/process.ts'), [JSON.stringify(hot)], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the measured process ended early, with ${code ?? signal}`);
  });
  ended.catch(() => {});
  const nextMessage = async <Message>(): Promise<Message> => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message as Message;
  };
  try {
    const listening = await nextMessage<Listening>();
    await speed(listening);
    await memory(listening, Number(values.requests), () => {
      const answer = nextMessage<Memory>();
      child.send('memory');
      return answer;
    });
  } finally {
    child.kill();
  }
}

async function speed({ ours, bare, key }: Listening): Promise<void> {
  const figures: Figure[] = [];
  for (const path of hot) {
    const request = get(path, `x-api-key: ${key}\r\n`);
    const round = (port: number, requests: number) =>
      load(
        port,
        connections,
        () => request,
        (answered) => answered >= requests,
      );
    for (const port of [ours, bare]) await round(port, path === hot[0] ? warmUp : perRound);
    const [rates, otherRates]: [number[], number[]] = [[], []];
    const shares: number[] = [];
    const [times, otherTimes]: [number[], number[]] = [[], []];
    for (let index = 0; index < rounds; index++) {
      const one = await round(ours, perRound);
      const other = await round(bare, perRound);
      if (one.statuses.size !== 1 || !one.statuses.has(200))
        throw new Error(`${path}: not answered with 200`);
      rates.push(one.rate);
      otherRates.push(other.rate);
      shares.push((one.rate / other.rate) * 100);
      times.push(...one.times);
      otherTimes.push(...other.times);
    }
    const name = path.slice('/api/v1'.length).split('?')[0];
    figures.push(
      {
        name: `${name}`,
        value: percentile(rates, 0.5),
        unit: 'requests/s',
        baseline: { name: 'the bare route', value: percentile(otherRates, 0.5) },
      },
      {
        name: '  of the bare route, median of the rounds',
        value: percentile(shares, 0.5),
        unit: '%',
        bound: { least: 50 },
      },
      {
        name: '  p99',
        value: percentile(times, 0.99),
        unit: 'ms',
        bound: { most: 25 },
        baseline: { name: 'the bare route', value: percentile(otherTimes, 0.99) },
      },
    );
  }
  report(`http: ${connections} connections`, [...figures, machineLoad()]);
}

/** Measures memory over requests of every kind: answers from the cache, 304, 400, 401, 404, and compressed answers. */
async function memory(
  { ours, key }: Listening,
  requests: number,
  measure: () => Promise<Memory>,
): Promise<void> {
  const known = `x-api-key: ${key}\r\n`;
  const guess = () => `x-api-key: tocsin_${Math.random().toString(16).slice(2, 10).padEnd(64, '0')}\r\n`;
  const kinds = [
    ...hot.map((path) => () => get(path, known)),
    () => get(hot[0] ?? '', `${known}if-none-match: *\r\n`),
    () => get(hot[4] ?? '', `${known}accept-encoding: br\r\n`),
    () => get(`/api/v1/oi?limit=${Math.floor(Math.random() * 2_000)}`, known),
    () => get(`/api/v1/${Math.random()}`, known),
    () => get(hot[0] ?? '', guess()),
  ];
  let next = 0;
  const request = () => (kinds[next++ % kinds.length] ?? kinds[0])?.() ?? '';
  const parts = 10;
  const marks: Memory[] = [];
  let rate = 0;
  // The first part fills the caches, and the others are compared with it.
  for (let part = 0; part <= parts; part++) {
    const done = await load(ours, connections, request, (answered) => answered >= requests / parts);
    rate = done.rate;
    marks.push(await measure());
    if (process.stderr.isTTY) process.stderr.write(`\r${part} of ${parts}`);
  }
  const grown = (of: keyof Memory) => ((marks.at(-1)?.[of] ?? 0) - (marks[0]?.[of] ?? 0)) / 1e6;
  report(`http: memory over ${requests.toLocaleString('en-US')} requests of all kinds`, [
    { name: 'heap after a forced collection, at the begin', value: (marks[0]?.heap ?? 0) / 1e6, unit: 'MB' },
    { name: 'heap grown by', value: grown('heap'), unit: 'MB', bound: { most: 5 } },
    { name: 'resident memory at the end', value: (marks.at(-1)?.resident ?? 0) / 1e6, unit: 'MB' },
    { name: 'resident memory grown by', value: grown('resident'), unit: 'MB', bound: { most: 30 } },
    { name: 'rate', value: rate, unit: 'requests/s' },
  ]);
}

const get = (path: string, headers: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}\r\n`;
