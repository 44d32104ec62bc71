import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { type Addresses, plainAddresses } from '../alert/subscription.ts';
import type { Database } from '../database/database.ts';
import { leasesIn } from '../database/leases.ts';
import { openDatabase } from '../database/open.ts';
import { alertLog } from './alerts/alert-log.ts';
import { dispatchUnit, publicAlerts } from './alerts/alerts.ts';
import { deliveries } from './alerts/deliveries.ts';
import { marketBinding } from './market/bind-market.ts';
import { life } from './market/heartbeat.ts';
import { migrations } from './migrations.ts';
import { boardLog } from './places/boards.ts';
import { changes } from './places/changes.ts';
import { files } from './places/files.ts';
import { inbox } from './places/hooks.ts';
import { keys } from './places/keys.ts';
import { places } from './places/places.ts';
import type { PlaceIds, RoleStore, Store } from './ports.ts';
import { prune } from './prune.ts';
import { expansion } from './queue/expansion.ts';
import { type OutboxOptions, outbox } from './queue/outbox.ts';
import { receivers } from './queue/receivers.ts';
import { chainStore } from './record/chain.ts';
import { outcomes } from './record/outcomes.ts';
import { detectors } from './state/detectors.ts';
import { identify } from './state/identity.ts';
import { fenced } from './state/leases.ts';
import { messages } from './state/messages.ts';
import { readings } from './state/readings.ts';
import { requests } from './state/requests.ts';
import { sessions } from './state/sessions.ts';
import { connections, settings } from './state/settings.ts';
import type { Tables } from './tables.ts';

/** The characters of ids that people read and type: no vowels, so that they form no words. An id has 8 of these 24. */
const alphabet = 'bcdfghjkmnpqrstvwxz23456';
const newId = (): string => Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('');

const createRoleStore = (
  database: Database<Tables>,
  { ids, ...options }: OutboxOptions & { readonly ids: PlaceIds },
): RoleStore => ({
  dispatch: (work) =>
    database.transaction(async (trx) => {
      const unit = dispatchUnit(trx, ids);
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
  boardLog: boardLog(database.transaction),
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
    alerts: publicAlerts(db),
    receivers: receivers(database, accountOf),
    ...changes(database, ids),
    market: marketBinding(database),
    detectors: detectors(db),
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
    connections: connections(db),
    sessions: sessions(db),
    downtimes: life(database).downtimes,
    guard: database.guard,
    look: identify(database),
    async ping() {
      await sql`select 1`.execute(db);
    },
    close: () => database.close(),
  };
}
