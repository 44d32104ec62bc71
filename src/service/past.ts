import manifest from '../../package.json' with { type: 'json' };
import { type Answer, contract, type EndpointName, type QueryInput } from '../contract/index.ts';
import { ApiError, UserError } from '../runtime/errors.ts';
import { hour } from '../runtime/units.ts';
import type { RegimeRow } from './archive/archive.ts';
import { openArchive } from './archive/open.ts';
import { answerWith, type Feed, type HandlerContext, type ServiceState } from './handlers/handler.ts';
import { handlers } from './handlers/index.ts';
import { regimeSymbol } from './handlers/regime.ts';
import { parseQuery } from './http/query.ts';
import { openRegimes } from './regimes.ts';
import { readRecording } from './simulator/recording.ts';

/** The shape of the bot's client, which this side of the contract does not import. */
export type Answers = {
  readonly [Name in EndpointName]: (query?: QueryInput<Name>, signal?: AbortSignal) => Promise<Answer<Name>>;
};

/** Recordings as a data service that can be asked about any moment of theirs. */
export interface Past {
  /** Market ms: the first recorded value and the last. */
  readonly earliest: number;
  readonly latest: number;
  readonly symbols: readonly string[];
  /**
   * What the service would have answered at market time `now`, from recorded feeds alone. An endpoint that needs
   * another is ApiError `not_offered`; what a feed merely adds is omitted.
   */
  at(now: number): Answers;
  /** The published regime of every closed hour that opened in [from, to], oldest first. */
  regimes(window: { readonly from: number; readonly to: number }): Promise<RegimeRow[]>;
  close(): Promise<void>;
}

/** @throws ConfigError where the recordings cannot be read */
export async function openPast({ dir }: { readonly dir: string }): Promise<Past> {
  const { candles, funding } = await readRecording(dir);
  const archive = await openArchive('file::memory:');
  // Takers' share was not recorded: a half says nothing to the signal, where a made one would.
  for (const rows of candles.values()) {
    await archive.write(
      'candles1h',
      rows.map((row) => ({ ...row, takerBuy: row.volume / 2 })),
    );
  }
  for (const rows of funding.values()) await archive.write('funding', rows);

  const times = [...candles.values(), ...funding.values()].flatMap((rows) => [
    rows[0]?.time ?? Number.POSITIVE_INFINITY,
    rows.at(-1)?.time ?? 0,
  ]);
  const latest = Math.max(...times) + hour;
  const publish = await openRegimes(archive, { from: 0 });
  await publish(latest);

  const recorded = new Set<Feed>(['candles1h', 'state']);
  if (funding.size > 0) recorded.add('funding');
  if (candles.has(regimeSymbol)) recorded.add('regimes');
  const universe = [...new Set([...candles.keys(), ...funding.keys()])].sort();

  const ask = async (name: EndpointName, query: object, context: HandlerContext): Promise<unknown> => {
    const { path } = contract[name];
    const missing = handlers[name].needs.filter((feed) => !recorded.has(feed));
    if (missing.length > 0) {
      throw new ApiError(path, 'not_offered', `not recorded: ${missing.join(', ')}`);
    }
    try {
      return await answerWith(handlers[name], parseQuery(name, { ...query }), context);
    } catch (cause) {
      if (!(cause instanceof UserError)) throw cause;
      throw new ApiError(path, 'invalid_request', cause.message, { cause });
    }
  };

  const state: ServiceState = {
    source: 'recorded',
    speed: 1,
    ready: true,
    backfill: 1,
    version: manifest.version,
    sourceOf: () => 'recorded',
  };

  return {
    earliest: Math.min(...times),
    latest,
    symbols: universe,
    at(now) {
      const context: HandlerContext = { archive, now, universe, feeds: [], state };
      const methods = (Object.keys(contract) as EndpointName[]).map((name) => [
        name,
        (query: object = {}, signal?: AbortSignal) => {
          signal?.throwIfAborted();
          return ask(name, query, context);
        },
      ]);
      return Object.fromEntries(methods) as Answers;
    },
    regimes: async (window) => (await archive.regimes(window)).reverse(),
    close: () => archive.close(),
  };
}
