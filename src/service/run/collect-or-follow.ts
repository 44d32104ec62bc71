import { type LeaseTables, leasesIn } from '../../database/leases.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { Loop } from '../../runtime/loop.ts';
import { keepRole, type RoleWork } from '../../runtime/role.ts';
import { ownerProblem } from '../archive/owner.ts';
import type { AnswerSource } from '../archive/sources.ts';
import type { Present } from '../handlers/present.ts';
import { simulatedVenueOf } from '../venues/simulated.ts';
import { loadVenues } from '../venues/venue.ts';
import { type KeeperPorts, startKeeper } from './keeper.ts';
import type { ServiceOptions } from './service.ts';
import { follow, keepPublishingState } from './shared-state.ts';

/**
 * Collects, or follows the service that does. Of the services on one Postgres database one collects, and the others respond
 * from the same archive. When the collecting service ends, another takes over within ten seconds. A SQLite file belongs to
 * one service, which collects.
 * @throws ConfigError as startKeeper
 */
export async function collectOrFollow(
  options: ServiceOptions,
  ports: KeeperPorts & {
    /** Sets the present that responses are made from. */
    setPresent(present: Present): void;
  },
): Promise<RoleWork> {
  const { log, readOnly = false } = options;
  const { database, archive, prices, wall, steady, nature, setPresent, changed } = ports;
  if (database.dialect === 'sqlite') {
    if (readOnly) throw new ConfigError([readOnlyProblem]);
    const keeper = await startKeeper(options, ports);
    setPresent(keeper);
    return keeper;
  }

  const problem = await ownerProblem(archive, nature.name);
  if (problem !== null) throw new ConfigError([problem]);
  await using started = new AsyncDisposableStack();
  const live = nature.source === 'live';
  const loaded = await loadVenues(options.venues);
  const venues = live ? loaded : loaded.map(simulatedVenueOf);
  let isCollecting = false;
  let hearsPrices = false;
  const following = await follow({
    ...{ archive, prices, wall, steady, log, venues, speed: options.speed, live },
    hearsPrices: () => hearsPrices,
    onReady: ports.onReady,
    changed(source) {
      if (!isCollecting) changed(source);
    },
  });
  started.defer(() => following.stop());
  setPresent(following);
  if (!readOnly) {
    const leases = leasesIn({ db: database.db.$extendTables<LeaseTables>(), dialect: database.dialect });
    const role = await keepRole(
      'collect',
      { leases, wall, steady, log },
      async ({ lease: { token: life } }) => {
        const changes = new Map<AnswerSource, number>();
        const count = (source: AnswerSource) => {
          changes.set(source, (changes.get(source) ?? 0) + 1);
          changed(source);
        };
        const ready = Promise.withResolvers<void>();
        hearsPrices = true;
        const keeper = await startKeeper(options, {
          ...ports,
          changed: count,
          onReady() {
            ports.onReady();
            ready.resolve();
          },
        }).catch((error) => {
          hearsPrices = false;
          throw error;
        });
        let publishing: Loop | undefined;
        let stopped = false;
        const startPublishing = () => {
          if (stopped) return;
          publishing = keepPublishingState(keeper, { life, changes, archive, wall, log });
          isCollecting = true;
          setPresent(keeper);
        };
        // A service that could respond before it took over goes on responding from the followed state until it is ready.
        if (following.ready()) void ready.promise.then(startPublishing);
        else startPublishing();
        return {
          async stop() {
            stopped = true;
            isCollecting = false;
            setPresent(following);
            await publishing?.stop();
            await keeper.stop();
            hearsPrices = false;
          },
        };
      },
    );
    started.defer(() => role.stop());
  }
  const running = started.move();
  return { stop: () => running.disposeAsync() };
}

const readOnlyProblem =
  'A data service that only reads needs the Postgres that another one collects into: set TOCSIN_ARCHIVE_URL, or leave --read out.';
