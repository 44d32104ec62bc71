import { readFileSync } from 'node:fs';
import { type Receiver, receiverKey, receiverLabel } from '../alert/subscription.ts';
import type { Places } from '../platforms/ports.ts';
import type { ApiKeys } from '../platforms/web/ports/api.ts';
import type { Report } from '../platforms/web/ports.ts';
import type { Records } from '../record/records.ts';
import type { WallClock } from '../runtime/clock.ts';
import { recognise, sameDigest } from '../runtime/credential.ts';
import type { BotStatus, Command, CommandContext } from '../shell/command.ts';
import type { Connecting } from '../shell/connecting.ts';
import type { Store } from '../store/ports.ts';
import { type Answering, createAnswering } from './answer-commands.ts';
import { openConnections } from './config/connections.ts';
import { createConnecting } from './connecting.ts';
import { aftermathOf } from './console/aftermath.ts';
import { createAlertFeed } from './console/alert-feed.ts';
import { createApiData } from './console/api-data.ts';
import { createDataCheckTable } from './console/data-check-table.ts';
import { createDestinations } from './console/destinations.ts';
import { createKeyDesk } from './console/key-desk.ts';
import { createMembers } from './console/members.ts';
import { createPastSeries } from './console/past-series.ts';
import { createPushDesk } from './console/push-desk.ts';
import { createRecordTable } from './console/record-table.ts';
import { createRuleDesk } from './console/rule-desk.ts';
import { createSettingsDesk, type SettingSources } from './console/settings-desk.ts';
import type { Core } from './core.ts';
import { type Following, followConnections } from './follow-connections.ts';
import type { Hooks } from './hooks.ts';
import type { DetectorPreviews, OpenPreviews } from './open-previews.ts';
import type { Senders, SharedPorts } from './platforms.ts';

interface Talking {
  readonly senders: Senders;
  readonly hooks: Pick<Hooks, 'receive'>;
  readonly commands: readonly Command[];
  readonly kinds: CommandContext['kinds'];
  readonly records: Records;
  readonly previews: Pick<OpenPreviews, 'preview' | 'line'>;
  readonly settings: SettingSources;
  readonly detectorPreviews: Pick<DetectorPreviews, 'preview'>;
  readonly operators: () => readonly string[];
  readonly status: () => Promise<BotStatus>;
  readonly report: Report;
}

/** Creates what all conversations are given: answers to commands, what the page shows, and what becomes of places. */
export function createTalking(core: Core, talking: Talking): SharedPorts & { readonly following: Following } {
  const { config, store, universe, listed } = core;
  const { senders, hooks, commands, kinds, report } = talking;
  const answering = createAnswering({
    client: core.client,
    store,
    addresses: core.addresses,
    source: core.source,
    universe,
    listed,
    marketKinds: () => core.meta.last()?.kinds ?? {},
    now: core.now,
    wall: core.wall,
    log: core.log,
    settings: config,
    platforms: [...config.platforms, ...config.connectable].map(({ platform }) => platform),
    outlets: senders.outlets,
    operators: talking.operators,
    commands,
    kinds,
    records: talking.records,
    preview: talking.previews.preview,
    status: talking.status,
    connecting: () => connecting,
  });
  const connections = openConnections({
    database: config.database,
    key: config.connections.key,
    sealed: store.connections,
  });
  const { connectable } = config;
  const connected = { connections, connectable, senders, wall: core.wall, log: core.log };
  const following = followConnections(connected);
  const connecting: Connecting = createConnecting(following, {
    ...connected,
    used: config.platforms,
    answering,
  });
  /** Returns what its platform calls a place where the bot may post; else its address without the secret parts. */
  const nameOf = async (receiver: Receiver) => {
    const key = receiverKey(receiver);
    const { notifier } = receiver;
    const found = await following.whereabouts(notifier);
    const place = found?.places.find(({ address }) => receiverKey({ notifier, address }) === key);
    return place?.name ?? receiverLabel(core.addresses.shown(receiver));
  };
  return {
    ask: answering.ask,
    complete: answering.complete,
    listOwn: answering.listOwn,
    reader: answering.reader,
    ...pageParts(core, answering, talking),
    places: createPlaces(store, core),
    keys: createApiKeys(store, core.wall),
    connecting,
    members: createMembers({ store, senders }),
    page: config.http.url ?? undefined,
    keyDesk: createKeyDesk({ store, nameOf, wall: core.wall }),
    destinations: createDestinations({ store, contextOf: answering.contextOf, nameOf, now: core.now }),
    push: createPushDesk({ used: config.platforms, store, contextOf: answering.contextOf }),
    watchlist: store.watchlist.of,
    settings: createSettingsDesk({
      ...talking.settings,
      config,
      schema: JSON.parse(readFileSync(new URL('../../config/schema.json', import.meta.url), 'utf8')),
      preview: (detector, { changed }) => talking.detectorPreviews.preview(detector, changed),
    }),
    following,
    board: core.board,
    warmUpDrawing: senders.warmUpDrawing,
    receiveHook: hooks.receive,
    http: config.http,
    commands,
    kinds,
    universe: listed,
    report,
  };
}

/** Creates what the page shows besides the board and the chat, and what the HTTP API answers programs from. */
function pageParts(
  { store, addresses, meta, market, now, source }: Core,
  { ask, contextOf }: Answering,
  { records, previews }: Talking,
): Pick<SharedPorts, 'feed' | 'series' | 'desk' | 'record' | 'dataChecks' | 'api'> {
  return {
    feed: createAlertFeed({
      log: store.log,
      clock: meta.market,
      source,
      shown: addresses.shown,
      afterOf: aftermathOf({ outcomes: store.outcomes, records, market, now }),
    }),
    series: createPastSeries({ contextOf, line: previews.line }),
    desk: createRuleDesk({ ask, contextOf, log: store.log }),
    record: createRecordTable({ contextOf }),
    dataChecks: createDataCheckTable({ contextOf }),
    api: createApiData({ store, records, now, contextOf }),
  };
}

/** Stores what becomes of places, with the time at which it happens. */
const createPlaces = ({ receivers, settings }: Store, { now, wall }: Pick<Core, 'now' | 'wall'>): Places => ({
  ...receivers,
  end: (receiver, reason) => receivers.end(receiver, { at: now(), reason }),
  suspend: (resting, reason) => receivers.suspend(resting, { at: now(), wall: wall.now(), reason }),
  wake: (resting) => receivers.wake(resting, now()),
  recall: (name) => settings.get(name),
  remember: (name, value) => settings.put(name, value),
});

/** Looks up the holder of a key of the HTTP API in the database each time, so that a revoked key is refused at once. */
export const createApiKeys = ({ keys }: Pick<Store, 'keys'>, wall: Pick<WallClock, 'now'>): ApiKeys => ({
  async findHolder(text) {
    const credential = recognise('tocsinbot', text);
    const key = credential === null ? undefined : await keys.find(credential.id);
    if (credential === null || key === undefined || key.revokedAt !== null) return undefined;
    if (!sameDigest(key.digest, credential.digest)) return undefined;
    await keys.countUse(key.id, wall.now());
    const { id, name, receiver } = key;
    return { id, name, receiver, scopes: new Set(key.scopes) };
  },
});
