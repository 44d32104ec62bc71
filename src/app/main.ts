import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Detector } from '../detectors/detector.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Terminal } from '../platforms/ports.ts';
import { onlyArgument, parseDate, parseInteger, refuseArguments } from '../runtime/arguments.ts';
import { giveToBoundary } from '../runtime/boundary.ts';
import { wallClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { loadPluginFolders, loadPlugins } from '../runtime/plugins.ts';
import { createProgressBar } from '../runtime/progress-bar.ts';
import type { Command } from '../shell/command.ts';
import { describeFatalError, exit } from './cli/fatal-error.ts';
import { prepare } from './cli/prepare.ts';
import { usage } from './cli/usage.ts';
import { type Config, layersOf, loadConfig } from './config/config.ts';
import type { Tree } from './config/config-problem.ts';
import { withEnvFile } from './config/environment.ts';
import { ownSettingsFile } from './config/layers.ts';
import { prepareDataService } from './data-service.ts';
import { startReloading } from './reload.ts';
import { listenForStop } from './stopping.ts';

const folder = (name: string): string => new URL(`../${name}/`, import.meta.url).pathname;
const loadDetectors = () => loadPlugins<Detector>(folder('detectors'), 'detector.ts');
const loadPlatforms = () => loadPluginFolders<Platform>(folder('platforms'), 'platform.ts');
const loadCommands = () => loadPlugins<Command>(folder('commands'));

const configSources = async (dataOnly = false, own?: Tree) => ({
  dataOnly,
  own,
  defaults: readFileSync(new URL('../../config/default.yaml', import.meta.url), 'utf8'),
  // The file .env overrides the configuration files; the real environment overrides .env.
  env: withEnvFile(process.env, '.env'),
  detectors: await loadDetectors(),
  platforms: await loadPlatforms(),
});

const loadConfiguration = async (dataOnly = false, own?: Tree): Promise<Config> =>
  loadConfig(await configSources(dataOnly, own));

/** The type of an option of the command line. */
const text = { type: 'string' } as const;

const bar = process.stderr.isTTY === true ? createProgressBar(process.stderr) : undefined;

/** Whoever read along, such as `head`, has gone: what is printed for him is no failure of ours. */
const isNobodyReading = (error: NodeJS.ErrnoException): boolean => error.code === 'EPIPE';
process.stdout.on('error', (error) => {
  if (!isNobodyReading(error)) throw error;
});

const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const write = () =>
      process.stdout.write(text, (error) => (error && !isNobodyReading(error) ? reject(error) : resolve()));
    if (bar === undefined) write();
    else bar.around(write);
  });

/** Writes a message for people to stderr, so that a script can read stdout alone. */
const say = async (text: string) => void process.stderr.write(text);

const terminal: Terminal = {
  get columns() {
    // A terminal that does not know its size reports 0 columns.
    return process.stdout.columns || 100;
  },
  color: process.stdout.isTTY === true && !process.env.NO_COLOR,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  write: print,
  ...(process.stdin.isTTY && { input: process.stdin }),
};

const logTo = (level: string) =>
  createLog({
    level,
    ...{ pretty: bar !== undefined, color: !process.env.NO_COLOR },
    destination: process.stderr,
    ...(bar !== undefined && { bar }),
  });

/** Writes why the process ends. Returns its exit code. */
function tellFatal(error: unknown): number {
  const { text, code } = describeFatalError(error, usage);
  process.stderr.write(text);
  return code;
}

/** Also makes errors that nothing has caught, not even a boundary, end the process without a secret in their text. */
function listenForSignals() {
  process.on('uncaughtException', (error) => {
    if (!giveToBoundary(error)) process.exit(tellFatal(error));
  });
  const listen = (handle: () => void) => void process.on('SIGINT', handle).on('SIGTERM', handle);
  return listenForStop({ wall: wallClock, listen, endNow: () => process.exit() });
}

async function start(args: readonly string[]): Promise<void> {
  if (args[0] === 'key') {
    const { runKeyCommand } = await import('./cli/key-command.ts');
    const given = { args: args.slice(1), config: await loadConfiguration() };
    return runKeyCommand({ ...given, now: wallClock.now(), print, say });
  }
  refuseArguments(args);
  const runUntilStopped = listenForSignals();
  const failed = Promise.withResolvers<void>();
  // A SIGHUP that arrives during the start is remembered; the reload follows once the bot runs.
  let isReloadRequested = false;
  let reload = async () => {
    isReloadRequested = true;
  };
  // A terminal that is closed also sends SIGHUP; there the signal must end the process.
  const atTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  if (!atTerminal) process.on('SIGHUP', () => void reload().catch(failed.reject));

  const startDataService = prepareDataService(process.env);
  const config = await loadConfiguration();
  const log = logTo(config.log.level);
  const running = await startReloading({
    ...{ config, log, wall: wallClock, failed: failed.reject },
    start: async (next, operators) => {
      const service = await startDataService(next, log);
      const { startBot } = await import('./bot.ts');
      const commands = await loadCommands();
      for (const { platform } of next.platforms) await platform.preload?.();
      const given = { config: next, operators, service, commands, failed: failed.reject };
      const read = (own: Tree) => loadConfiguration(false, own);
      const settings = { layers: layersOf(await configSources()), read };
      return startBot({ ...given, settings, terminal, wall: wallClock, random: Math.random, log });
    },
    read: () => loadConfiguration(),
    files: ({ sources, database }) => ['.env', ...sources, ownSettingsFile(database) ?? '.env'],
  });
  reload = running.reload;
  if (isReloadRequested) void reload().catch(failed.reject);
  await Promise.race([runUntilStopped(running, log), failed.promise]);
}

async function access(args: readonly string[]): Promise<void> {
  const { archive: archiveUrl } = (await loadConfiguration(true)).data.embedded;
  const { runAccessCommand } = await import('../service/run/access-command.ts');
  const { askPassword } = await import('../service/access/ask-password.ts');
  const readPassword = () => askPassword(process.stdin, process.stderr);
  await runAccessCommand({ args, archiveUrl, now: wallClock.now(), readPassword, print, say });
}

async function serve(args: readonly string[]): Promise<void> {
  if (args[0] === 'account' || args[0] === 'key') return access(args);
  const runUntilStopped = listenForSignals();
  const config = await loadConfiguration(true);
  const log = logTo(config.log.level);
  const { startServing } = await import('./cli/serve-command.ts');
  const service = await startServing({ args, config, log });
  await print(`The data service is on ${service.url}\n`);
  service.ready.then(() => print('It is ready.\n')).catch(() => {});
  await runUntilStopped(service, log);
}

async function replay(args: readonly string[]): Promise<void> {
  const config = await loadConfiguration();
  const { values } = parseArgs({
    args: [...args],
    options: { market: text, from: text, to: text, labels: text, symbol: text },
  });
  const { runReplay } = await import('./cli/replay-command.ts');
  await runReplay({
    ...values,
    from: values.from === undefined ? undefined : parseDate('--from', values.from),
    to: values.to === undefined ? undefined : parseDate('--to', values.to),
    detectors: config.detectors,
    print,
  });
}

async function lookahead(args: readonly string[]): Promise<number> {
  const { detectors } = await loadConfiguration();
  const { values } = parseArgs({
    args: [...args],
    options: { market: text, cuts: { type: 'string', default: '5' } },
  });
  const { checkLookahead } = await import('./cli/lookahead.ts');
  const isUnchanged = await checkLookahead({
    market: values.market,
    detectors,
    random: Math.random,
    print,
    cuts: parseInteger('--cuts', { text: values.cuts, min: 1, max: 1_000 }),
  });
  return isUnchanged ? exit.ok : exit.differs;
}

async function verify(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { heads: text, write: text, proof: text },
  });
  const { runVerify } = await import('./cli/verify.ts');
  const isIntact = await runVerify({
    source: onlyArgument(positionals),
    database: async () => (await loadConfiguration()).database,
    ...values,
    print,
  });
  return isIntact ? exit.ok : exit.differs;
}

async function backup(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { archive: text },
  });
  const { runBackup } = await import('./cli/backup.ts');
  const config = await loadConfiguration();
  await runBackup({ config, file: onlyArgument(positionals), archive: values.archive, print });
}

async function restore(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { archive: text, mark: { type: 'boolean', default: false } },
  });
  const { runRestore } = await import('./cli/backup.ts');
  const named = { file: onlyArgument(positionals), archive: values.archive, mark: values.mark };
  await runRestore({ config: await loadConfiguration(), ...named, now: wallClock.now(), print });
}

async function check(args: readonly string[]): Promise<number> {
  if (args[0] === 'live') {
    const stop = new AbortController();
    // A second signal ends the process at once.
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
    const { runCheckLive } = await import('./cli/check-live.ts');
    const { data } = await loadConfiguration(true);
    const isWell = await runCheckLive({ args: args.slice(1), data, signal: stop.signal, print });
    return isWell ? exit.ok : exit.differs;
  }
  const { runCheck } = await import('./cli/check-command.ts');
  const isWell = await runCheck({ args, config: await loadConfiguration(), print });
  return isWell ? exit.ok : exit.config;
}

const prepareStart = () => prepare([loadDetectors, loadPlatforms, loadCommands, () => import('./bot.ts')]);

/** Each command of the command line: it returns its exit code, or nothing if all went well. */
const programs: Readonly<Record<string, (args: readonly string[]) => Promise<number> | Promise<void>>> = {
  start,
  serve,
  replay,
  prepare: prepareStart,
  check,
  backup,
  restore,
  lookahead,
  verify,
};

async function main([command = 'start', ...args]: readonly string[]): Promise<number> {
  if ([command, ...args].some((each) => each === '--help' || each === '-h')) {
    await print(usage);
    return exit.ok;
  }
  const run = Object.hasOwn(programs, command) ? programs[command] : undefined;
  if (run !== undefined) return (await run(args)) ?? exit.ok;
  process.stderr.write(`"${command}" is no command of Tocsin's. These are:\n\n${usage}`);
  return exit.usage;
}

process.exitCode = await main(process.argv.slice(2)).catch(tellFatal);
// A timer that a library has left running must not keep the process alive.
process.exit();
