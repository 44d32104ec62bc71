import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { inhibitRule } from '../../alert/inhibit.ts';
import type { Detector } from '../../detectors/detector.ts';
import { maxPostsADay } from '../../places/limits.ts';
import type { Platform } from '../../platforms/platform.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { schedulePattern } from '../../runtime/schedule.ts';
import { secret } from '../../runtime/secret.ts';
import { duration, hour } from '../../runtime/units.ts';
import { kindProblems } from './config-inhibit.ts';
import { isTree, namesIn, problemsOf, type Tree } from './config-problem.ts';
import { type ConnectablePlatform, withoutConnectable } from './connectable.ts';
import { type Env, type IgnoredVariable, ignoredVariables, variablesOf } from './environment.ts';
import { type Layer, mergeTrees, readBuiltIn, readLayers } from './layers.ts';
import { type PlaceFiles, readPlaceFiles } from './place-files.ts';
import {
  aliveSettings,
  distinct,
  hostName,
  httpUrl,
  liveMarket,
  otherVenues,
  personSchema,
  realDuration,
  receiverSchema,
  venue,
} from './setting-schemas.ts';

const port = z.int().min(0).max(65_535);
const giveDatabase = 'give file:PATH or postgres://…';
const databaseUrl = z.string(giveDatabase).regex(/^(file:.+|postgres(ql)?:\/\/.+)$/, giveDatabase);

const giveMarket = 'give simulated, live or recorded:FOLDER';
/** Where the embedded service's market comes from: `simulated`, `live` or `recorded:FOLDER`. */
const marketText = z.string(giveMarket).regex(/^(simulated|live|recorded:.+)$/, giveMarket);

const giveMacro = 'give none, fred or csv:FOLDER';

const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

const pageToken = secret.refine((token) => token.reveal().length >= 16, 'give at least 16 characters');

const pageUrl = z
  .url({ protocol: /^https?$/, error: 'give an https URL' })
  .refine((text) => new URL(text).pathname === '/', 'give it without a path: the page is at its root')
  .transform((text) => new URL(text).origin);

const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const;

const base = z.strictObject({
  database: databaseUrl,
  log: z.strictObject({ level: z.enum(logLevels) }),
  http: z
    .strictObject({
      host: z.string().min(1),
      port,
      hosts: distinct(hostName),
      url: pageUrl.nullable(),
      mcp: z.boolean(),
      token: pageToken.nullable(),
      viewerToken: pageToken.nullable(),
    })
    .refine(({ host, token }) => token !== null || isLoopback(host), {
      path: ['token'],
      error: 'give at least 16 characters, as http.host can be reached from other machines',
    })
    .refine(({ hosts, token }) => token !== null || hosts.length === 0, {
      path: ['token'],
      error: 'give at least 16 characters, as others reach the page by http.hosts',
    })
    .refine(({ url, token }) => token !== null || url === null, {
      path: ['token'],
      error: 'give at least 16 characters, as others reach the page by http.url',
    })
    .transform((http) => ({
      ...http,
      hosts: [...http.hosts, ...(http.url === null ? [] : [new URL(http.url).hostname])],
    }))
    .refine(({ token, viewerToken }) => viewerToken === null || token !== null, {
      path: ['viewerToken'],
      error: 'set http.token as well: without it whoever reaches the page may change everything',
    })
    .refine(({ token, viewerToken }) => viewerToken?.reveal() !== token?.reveal() || token === null, {
      path: ['viewerToken'],
      error: 'give another than http.token, which changes everything',
    }),
  data: z.strictObject({
    url: httpUrl.nullable(),
    apiKey: secret.nullable(),
    venue,
    venues: otherVenues,
    embedded: z.strictObject({
      market: marketText,
      seed: z
        .int()
        .min(0)
        .max(2 ** 32 - 1),
      speed: z.number().gt(0).max(3_600),
      symbols: z.union([z.int().min(1).max(1_000), z.literal('all')], 'give 1 to 1000, or all'),
      checks: z.strictObject({
        every: realDuration,
        symbols: z.int().min(0).max(20),
      }),
      port,
      archive: databaseUrl,
      macro: z.string(giveMacro).regex(/^(none|fred|csv:.+)$/, giveMacro),
      fredKey: secret.nullable(),
      live: liveMarket,
    }),
    budget: z
      .strictObject({ limit: z.int().min(1).max(1_000_000), window: realDuration, reserve: z.int().min(1) })
      .refine(({ limit, reserve }) => reserve < limit, {
        path: ['reserve'],
        error: 'give less than data.budget.limit',
      }),
    timeout: realDuration.refine((ms) => ms <= hour, 'give at most 1h'),
    maxBody: z.int().min(1_000),
  }),
  serve: z.strictObject({
    mcp: z.boolean(),
    limits: z.strictObject({
      window: realDuration,
      anonymous: z.int().min(1).max(1_000_000),
      key: z.int().min(1).max(1_000_000),
    }),
    trustedProxies: distinct(
      z
        .string()
        .refine(
          (text) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text),
          'give an address or range such as 127.0.0.1 or 10.0.0.0/8',
        ),
    ),
  }),
  watch: z.boolean(),
  rules: z.strictObject({ schedule: schedulePattern, requests: z.int().min(0).max(100) }),
  blind: z.strictObject({ periods: z.int().min(1).max(1_000), atLeast: duration }),
  places: z.string().min(1).nullable(),
  connections: z.strictObject({
    key: secret.refine((key) => key.reveal().length >= 16, 'give at least 16 characters').nullable(),
  }),
  inhibit: z.array(inhibitRule),
  delivery: z.strictObject({
    expireAfter: realDuration,
    pageSize: z.int().min(1).max(1_000),
    keep: duration,
    budget: z.int().min(0).max(maxPostsADay).nullable(),
  }),
});

export interface DetectorConfig {
  readonly detector: Detector;
  readonly enabled: boolean;
  readonly schedule: string;
  readonly options: unknown;
}

/** A platform with its options, parsed by its schema. */
export interface UsedPlatform {
  readonly platform: Platform;
  readonly options: unknown;
}

export interface Config extends z.output<ReturnType<typeof fixedSchema>> {
  readonly detectors: readonly DetectorConfig[];
  /** The platforms in use: those that have options in the configuration. */
  readonly platforms: readonly UsedPlatform[];
  readonly connectable: readonly ConnectablePlatform[];
  /** The files of the folder that the setting `places` names. Null if the setting is not set. */
  readonly placeFiles: PlaceFiles | null;
  /** Variables of the environment that may be meant for the bot but set nothing. */
  readonly ignoredVariables: readonly IgnoredVariable[];
  /** The paths that the configuration was read from: the file that TOCSIN_CONFIG names, and the folder of places. */
  readonly sources: readonly string[];
}

const fixedSchema = (platforms: readonly Platform[]) =>
  base.extend({
    operators: distinct(personSchema(platforms)),
    heads: receiverSchema(platforms).nullable(),
    alive: aliveSettings(platforms),
  });

/** Builds the schema of the whole configuration: the fixed part and the options of each detector and platform. */
export const configSchema = (detectors: readonly Detector[], platforms: readonly Platform[]) =>
  fixedSchema(platforms).extend({
    detectors: z.strictObject(
      Object.fromEntries(
        detectors.map((detector) => [
          detector.name,
          z
            .strictObject({
              enabled: z.boolean().default(detector.off === undefined),
              schedule: schedulePattern.default(detector.schedule),
              options: strict(detector.options).prefault({}),
            })
            .prefault({}),
        ]),
      ),
    ),
    platforms: z.strictObject(
      Object.fromEntries(platforms.map(({ name, options }) => [name, options.optional()])),
    ),
  });

/** Makes the schema reject unknown options, so that a misspelt option is reported and not silently left at its default. */
const strict = (options: z.ZodType): z.ZodType =>
  options instanceof z.ZodObject && options.def.catchall === undefined ? options.strict() : options;

interface ConfigSources {
  /** Text of config/default.yaml. */
  readonly defaults: string;
  readonly env: Env;
  readonly detectors: readonly Detector[];
  readonly platforms: readonly Platform[];
  /** Leaves out what only a bot needs, such as platforms, whose secrets a data service need not have. Default: false. */
  readonly dataOnly?: boolean;
  /** What was set on the page, instead of what its file says. */
  readonly own?: Tree | undefined;
}

/**
 * Reads the configuration as `readConfig` does, with the files of the folder that `places` names.
 * @throws ConfigError
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const config = readConfig(sources);
  if (config.places === null) return config;
  const placeFiles = await readPlaceFiles(config.places, sources.env);
  const isUsed = (name: string) => name.replace(/_FILE$/, '') in placeFiles.variables;
  const ignoredVariables = config.ignoredVariables.filter(({ name }) => !isUsed(name));
  return { ...config, placeFiles, ignoredVariables };
}

/**
 * Reads the configuration: config/default.yaml, then what was set on the page, then the file that TOCSIN_CONFIG names, then the
 * environment. The files of places are not read.
 * @throws ConfigError with every problem: which setting, what was given, what is allowed
 */
export function readConfig(sources: ConfigSources): Config {
  const { defaults, env, detectors, platforms, dataOnly = false } = sources;
  const builtIn = readBuiltIn(defaults);
  const variables = variablesOf(dataOnly ? [] : platforms);
  const all = layersOf(sources)
    .map(({ tree }) => tree)
    .reduce(mergeTrees, {});
  const { given, connectable } = withoutConnectable(dataOnly ? withoutBot(all, builtIn) : all, platforms);
  const schema = configSchema(detectors, platforms);
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const namesAt = (path: readonly string[]) => namesIn(schema, path);
    throw new ConfigError(
      parsed.error.issues.flatMap((issue) => problemsOf(issue, { given, variables, namesAt })),
    );
  }
  const { detectors: chosen, platforms: used, ...rest } = parsed.data;
  const postReceivers = { heads: rest.heads, 'alive.line': rest.alive.line };
  const unservedProblems = Object.entries(postReceivers).flatMap(([where, place]) =>
    place === null || used[place.notifier] !== undefined
      ? []
      : [`${where}: ${place.notifier} is not set up; set platforms.${place.notifier}`],
  );
  const meantProblems = [...unservedProblems, ...kindProblems(rest.inhibit, detectors)];
  if (meantProblems.length > 0) throw new ConfigError(meantProblems);
  return {
    ...rest,
    detectors: detectors.map((detector) => {
      const one = chosen[detector.name] as { enabled: boolean; schedule: string; options: unknown };
      return { detector, ...one };
    }),
    platforms: platforms.flatMap((platform) => {
      const options = used[platform.name];
      return options === undefined ? [] : [{ platform, options }];
    }),
    connectable,
    placeFiles: null,
    ignoredVariables: ignoredVariables(env, variables),
    sources: [env.TOCSIN_CONFIG, rest.places].flatMap((path) => path || []),
  };
}

/** Returns what sets the settings, each over those before it. @throws ConfigError */
export const layersOf = ({
  defaults,
  env,
  platforms,
  dataOnly = false,
  own,
}: ConfigSources): readonly Layer[] =>
  readLayers(readBuiltIn(defaults), { env, variables: variablesOf(dataOnly ? [] : platforms), own });

/** Removes the settings that name platforms or places, and those of the page, whose tokens the bots alone have. */
function withoutBot({ http: _, ...given }: Tree, { http }: Tree): Tree {
  const { alive } = given;
  const unused = { platforms: {}, heads: null, places: null, http };
  return { ...given, ...unused, ...(isTree(alive) && { alive: { ...alive, line: null } }) };
}
