import type { Listening } from '../../platforms/platform.ts';
import { compact } from '../../runtime/compact.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { occupy } from '../../runtime/listening.ts';
import type { Config } from '../config/config.ts';
import type { CheckFinding } from './check.ts';

const platformPorts = ({ platforms, http }: Pick<Config, 'platforms' | 'http'>): Listening[] =>
  platforms.flatMap(({ platform, options }) => platform.listens?.(options, http) ?? []);

/** Returns the ports that the bot, and its own data service, listen on at some time. */
export const portsToListen = (config: Config): Listening[] =>
  compact([
    ...platformPorts(config),
    config.data.url === null && {
      description: 'the data service’s port (data.embedded.port)',
      host: '127.0.0.1',
      port: config.data.embedded.port,
    },
  ]);

/** Checks the ports by listening on all of them for a moment, one after the other, as a start does. */
export async function portFindings(listened: readonly Listening[]): Promise<CheckFinding[]> {
  await using listeningServers = new AsyncDisposableStack();
  const taken: Listening[] = [];
  const findings: CheckFinding[] = [];
  for (const each of listened) {
    const { description, host, port } = each;
    try {
      listeningServers.use(await occupy(each));
      taken.push(each);
      findings.push({ what: description, problem: null });
    } catch (error) {
      const { code } = error as { code?: unknown };
      const earlierUser = taken.find((earlier) => earlier.port === port);
      const inUse =
        earlierUser === undefined
          ? `${host}:${port} is already in use: stop what uses it (another Tocsin?), or choose another port`
          : `${host}:${port} is also ${earlierUser.description}: choose another port`;
      const cannot = `cannot listen on ${host}:${port} (${code}): choose another host or port`;
      findings.push({ what: description, problem: code === 'EADDRINUSE' ? inUse : cannot });
    }
  }
  return findings;
}

/**
 * Refuses a start whose page could not be served, before anything else begins. Other ports are opened by one process at a
 * time, so another process of this bot may rightly listen there now. @throws ConfigError
 */
export async function requireFreePorts({ platforms, http }: Config): Promise<void> {
  const openedAtOnce = platforms.filter(({ platform }) => platform.opensBeforeData === true);
  const findings = await portFindings(platformPorts({ platforms: openedAtOnce, http }));
  const problems = findings.flatMap(({ what, problem }) => (problem === null ? [] : [`${what}: ${problem}`]));
  if (problems.length > 0) throw new ConfigError(problems);
}
