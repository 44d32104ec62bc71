import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { type Addresses, plainAddresses } from '../alert/subscription.ts';
import type { Database } from '../database/database.ts';
import { leasesIn } from '../database/leases.ts';
import { openDatabase } from '../database/open.ts';
import { alertLog } from './alert-log.ts';
import { alertStore, dispatchUnit } from './alerts.ts';
import { marketBinding } from './bind-market.ts';
import { chainStore } from './chain.ts';
import { changes } from './changes.ts';
import { deliveries } from './deliveries.ts';
import { detectors } from './detectors.ts';
import { expansion } from './expansion.ts';
import { files } from './files.ts';
import { life } from './heartbeat.ts';
import { inbox } from './hooks.ts';
import { identify } from './identity.ts';
import { keys } from './keys.ts';
import { fenced } from './leases.ts';
import { messages } from './messages.ts';
import { type OutboxOptions, outbox } from './outbox.ts';
import { outcomes } from './outcomes.ts';
import { places } from './places.ts';
import { prune } from './prune.ts';
import { readings } from './readings.ts';
import { receivers } from './receivers.ts';
import { requests } from './requests.ts';
import { settings } from './settings.ts';
import type { PlaceIds, RoleStore, Store } from './store.ts';
import { migrations, type Tables } from './tables.ts';

/** The characters of ids that people read and type: no vowels, so that they form no words. An id has 8 of these 24. */
const alphabet = 'bcdfghjkmnpqrstvwxz23456';
const newId = (): string => Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('');

const createRoleStore = (
  database: Database<Tables>,
  { ids, ...options }: OutboxOptions & { readonly ids: PlaceIds },
): RoleStore => ({
  dispatch: (work) =>
    database.transaction(async (trx) => {
      const unit = dispatchUnit(trx);
      const result = await work(unit);
      await unit.noteStored();
      return result;
    }),
  chain: chainStore(database),
  expansion: expansion(database),
  outbox: outbox(database, options),
  outcomes: outcomes(database),
  heartbeat: life(database).heartbeat,
  prune: (horizons) => prune(database, horizons),
  files: files(database, ids),
});

interface StoreOptions {
  /** See openDatabase. */
  readonly alone?: boolean;
  /** What platforms know about their addresses; left out: each receiver stands for itself. */
  readonly addresses?: Addresses;
}

/** Opens the store. For the URL and the errors see openDatabase. */
export async function openStore(
  url: string,
  { alone = false, addresses = plainAddresses }: StoreOptions = {},
): Promise<Store> {
  const database = await openDatabase<Tables>(url, { migrations, alone });
  const { db } = database;
  const { accountOf } = addresses;
  const ids = { newId, ...addresses };
  return {
    ...places(database, ids),
    ...alertStore(db),
    ...receivers(database, accountOf),
    ...changes(database, ids),
    ...marketBinding(database),
    detectors: detectors(database),
    inbox: inbox(database),
    leases: leasesIn({ db: database.db.$pickTables<'lease'>(), dialect: database.dialect }),
    under: (lease) => createRoleStore(fenced(database, lease), { token: lease.token, accountOf, ids }),
    ...createRoleStore(database, { token: 0, accountOf, ids }),
    log: alertLog(db),
    deliveries: deliveries(db),
    readings: readings(db),
    keys: keys(db),
    requests: requests(database),
    messages: messages(database),
    settings: settings(db),
    downtimes: life(database).downtimes,
    guard: database.guard,
    look: identify(database),
    async ping() {
      await sql`select 1`.execute(db);
    },
    close: () => database.close(),
  };
}
