import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { asInput, parseDate, parseInteger, parseNumber } from '../../runtime/arguments.ts';
import { InputError } from '../../runtime/errors.ts';
import { type ListenAddress, listenProblem } from '../../runtime/listening.ts';
import { readMarket } from '../../service/run/market-choice.ts';
import { type Service, startService } from '../../service/run/service.ts';
import { natureOf } from '../../service/run/upstream.ts';
import type { Config } from '../config/config.ts';

interface ServeCommand {
  /** The arguments that follow `serve`. */
  readonly args: readonly string[];
  readonly config: Pick<Config, 'data' | 'serve'>;
  readonly log: Logger;
}

/** Starts the data service alone. @throws InputError, ConfigError as startService */
export async function startServing({ args, config, log }: ServeCommand): Promise<Service> {
  const { embedded, venue, venues: others } = config.data;
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      market: { type: 'string' },
      seed: { type: 'string', default: String(embedded.seed) },
      speed: { type: 'string', default: '1' },
      symbols: { type: 'string', default: String(embedded.symbols) },
      from: { type: 'string' },
      read: { type: 'boolean', default: false },
    },
  });
  const market = readMarket(values.market ?? embedded.market, {
    settings: {
      ...embedded,
      venue,
      seed: parseInteger('--seed', { text: values.seed, min: 0, max: 2 ** 32 - 1 }),
    },
    from: values.from === undefined ? undefined : parseDate('--from', values.from),
  });
  const address = {
    host: values.host,
    port: parseInteger('--port', { text: values.port, min: 0, max: 65_535 }),
  };
  const numbers = {
    speed: parseNumber('--speed', { text: values.speed, min: 0.001, max: 3_600 }),
    symbols:
      values.symbols === 'all'
        ? ('all' as const)
        : parseInteger('--symbols', { text: values.symbols, min: 1, max: 1_000 }),
  };
  await requireAddress(address);
  // Settings that are wrong are no wrong input.
  const isRecordingNamed = values.market !== undefined && market.kind === 'recorded';
  const nature = isRecordingNamed ? await asInput(() => natureOf(market)) : undefined;
  return startService({
    ...{ market, ...numbers, ...address, ...config.serve, others, checks: embedded.checks, log },
    ...(nature !== undefined && { nature }),
    archiveUrl: embedded.archive,
    readOnly: values.read,
  });
}

/** @throws InputError if no process can listen at the address; whether another one does so now is not considered */
async function requireAddress({ host, port }: ListenAddress): Promise<void> {
  const code = await listenProblem({ host, port });
  if (code === undefined || code === 'EADDRINUSE') return;
  throw new InputError(
    `--host, --port: cannot listen on ${host}:${port} (${code}); give another host or port`,
  );
}
