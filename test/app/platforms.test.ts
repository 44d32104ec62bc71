import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { readConfig } from '#src/app/config/config.ts';
import { openConversations, openPlatform, type SharedPorts } from '#src/app/platforms.ts';
import { createReadiness } from '#src/app/readiness.ts';
import { homesOf } from '#src/app/welcome.ts';
import { tryPost } from '#src/pipeline/try-post.ts';
import type { Platform } from '#src/platforms/platform.ts';
import type { Ports } from '#src/platforms/ports.ts';
import { ConfigError } from '#src/runtime/errors.ts';
import { loadPluginFolders } from '#src/runtime/plugins.ts';
import type { RoleOptions } from '#src/runtime/role.ts';
import { second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';
import {
  alertCard,
  noAlerts,
  noConnecting,
  noData,
  noDestinations,
  noKeys,
  noMembers,
  noSettings,
} from '#test/support/console.ts';
import { ownFolder } from '#test/support/folder.ts';
import { memoryPlaces } from '#test/support/places.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { defaults as shipped } from '#test/support/settings.ts';

/** A platform as a user would add it: one folder, with no change elsewhere. */
const pigeon = `
import { z } from 'zod';
import { definePlatform } from '${join(import.meta.dirname, '../../src/platforms/platform.ts')}';
export default definePlatform({
  name: 'pigeon',
  env: { loft: 'PIGEON_LOFT', 'wings.speed': 'PIGEON_SPEED' },
  options: z.strictObject({ loft: z.string(), wings: z.strictObject({ speed: z.string() }).optional() }),
  address: z.strictObject({ roof: z.string() }),
  shown: (address) => address,
  limits: { perAddress: [{ per: 1_000, max: 1 }], paceKey: ({ roof }) => String(roof), concurrency: 2 },
  operatorPlace: { address: { roof: 'ours' } },
  notifier: ({ loft }, { reportLoss, terminal }) => ({
    async send({ id, card }, { address: { roof } }) {
      if (roof === 'burnt') reportLoss({ address: { roof }, reason: 'it burnt', forGood: true });
      await terminal.write(loft + ' to ' + roof + ': ' + card.title);
      return id;
    },
  }),
  async conversation({ loft }, { ask, terminal, onLoss, post }) {
    onLoss(({ address: { roof }, reason }) => void terminal.write('lost ' + roof + ': ' + reason));
    const receiver = { notifier: 'pigeon', address: { roof: 'north' } };
    const caller = { receiver, user: 'ada', rights: new Set(), language: 'en', timeZone: 'UTC' };
    const { title } = await ask('market', caller);
    await post(receiver, { card: { title }, signal: new AbortController().signal });
    return { url: 'pigeon://' + loft, close: () => terminal.write('the loft is shut') };
  },
});
`;

async function loadPigeon() {
  const folder = await ownFolder();
  await mkdir(join(folder, 'pigeon'));
  await writeFile(join(folder, 'pigeon', 'platform.ts'), pigeon);
  return loadPluginFolders<Platform>(folder, 'platform.ts');
}

const defaults = stringify({
  ...parse(shipped),
  detectors: {},
  inhibit: [],
  operators: [],
  platforms: {},
});
const configured = (platforms: readonly Platform[], env: Readonly<Record<string, string>>) =>
  readConfig({ defaults, env, detectors: [], platforms });

const noTokens = { refused: () => false, accepted: () => false };
/** A platform without a token needs no role. */
const noRoles = {} as RoleOptions;
const nobody = () => Promise.reject(new Error('nobody asks'));
const shared: SharedPorts = {
  ask: async (request, { receiver }) => ({ title: `${receiver.address.roof} asked ${request}` }),
  complete: nobody,
  watchlist: async () => [],
  push: { key: async () => undefined, begin: nobody, end: nobody },
  receiveHook: nobody,
  listOwn: nobody,
  reader: nobody,
  commands: [],
  kinds: [],
  universe: () => [],
  places: memoryPlaces().places,
  warmUpDrawing: () => {},
  board: { read: () => ({}), onPatch: () => {} },
  feed: noAlerts,
  series: nobody,
  desk: { read: nobody, draft: nobody, understand: nobody, save: nobody, preview: nobody },
  record: nobody,
  dataChecks: nobody,
  connecting: noConnecting,
  settings: noSettings,
  destinations: noDestinations,
  keyDesk: noKeys,
  members: noMembers,
  report: {
    status: nobody,
    ready: () => ({ started: true, refusedPlatforms: [] }),
    metrics: nobody,
    roles: nobody,
    alerts: nobody,
    deliveries: nobody,
  },
  keys: { findHolder: () => Promise.reject() },
  api: noData,
  http: { host: '127.0.0.1', port: 0, hosts: [], url: null, token: null, viewerToken: null, mcp: false },
};

it('a folder is enough for a platform: it has options, sends, answers, and its halves can communicate', async () => {
  const platforms = await loadPigeon();
  const { platforms: used } = configured(platforms, { PIGEON_LOFT: 'Loft', PIGEON_SPEED: 'fast' });
  expect(used.map(({ options }) => options)).toEqual([{ loft: 'Loft', wings: { speed: 'fast' } }]);
  const flown: string[] = [];
  const write = async (text: string) => void flown.push(text);
  const terminal = { columns: 80, color: false, timeZone: 'UTC', write };
  const open = used.map((each) => openPlatform(each, { ...notifierPorts({ terminal }), tokens: noTokens }));
  const outlets = open.map(({ outlet }) => outlet);
  const send = (roof: string) =>
    tryPost(outlets, {
      receiver: { notifier: 'pigeon', address: { roof } },
      card: alertCard,
      signal: AbortSignal.timeout(5_000),
    });

  await send('south');
  const talking = await openConversations(open, { shared, roles: noRoles });
  await send('burnt');
  await talking.close();
  expect(talking.url).toBe('pigeon://Loft');
  expect(flown).toEqual([
    `Loft to south: ${alertCard.title}`,
    'Loft to north: north asked market',
    'lost burnt: it burnt',
    `Loft to burnt: ${alertCard.title}`,
    'the loft is shut',
  ]);
  expect(homesOf(platforms, 'Asia/Tokyo')).toEqual([
    { receiver: { notifier: 'pigeon', address: { roof: 'ours' } } },
  ]);
});

it('that a platform refuses its token, and that it accepts it again, is logged once', async () => {
  const { platforms: used } = configured(await loadPigeon(), { PIGEON_LOFT: 'Loft' });
  const { tokens, state } = createReadiness({ problem: () => null });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const [open] = used.map((each) => openPlatform(each, { ...notifierPorts({ log }), tokens }));
  open?.ports.reportTokenAccepted();
  open?.ports.reportTokenRefused('no');
  open?.ports.reportTokenRefused('no');
  expect(state().refusedPlatforms).toEqual(['pigeon']);
  open?.ports.reportTokenAccepted();
  open?.ports.reportTokenAccepted();
  expect(state().refusedPlatforms).toEqual([]);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'no; retrying every few minutes',
    'the platform accepts the token again',
  ]);
});

it('a problem with a platform’s option names the variable that sets it', async () => {
  const platforms = await loadPigeon();
  expect(() => configured(platforms, { PIGEON_SPEED: 'fast' })).toThrow(
    new ConfigError(['platforms.pigeon.loft (PIGEON_LOFT): missing; give a string']),
  );
});

it('conversations that were opened are closed if a later one cannot be opened', async () => {
  const platforms = await loadPigeon();
  const { platforms: used } = configured(platforms, { PIGEON_LOFT: 'Loft' });
  const flown: string[] = [];
  const write = async (text: string) => void flown.push(text);
  const terminal = { columns: 80, color: false, timeZone: 'UTC', write };
  const [first] = used.map((each) =>
    openPlatform(each, { ...notifierPorts({ terminal }), tokens: noTokens }),
  );
  if (first === undefined) throw new Error('it is in use');
  const conversation = () => Promise.reject(new ConfigError(['its port is taken']));
  const broken = { ...first, platform: { ...first.platform, conversation } };
  await expect(openConversations([first, broken], { shared, roles: noRoles })).rejects.toThrow(
    'its port is taken',
  );
  expect(flown.at(-1)).toBe('the loft is shut');
});

it('a conversation with a token knows while its process is cut off from the database that another may talk', async () => {
  const platforms = await loadPigeon();
  const { platforms: used } = configured(platforms, { PIGEON_LOFT: 'Loft' });
  const [first] = used.map((each) => openPlatform(each, { ...notifierPorts(), tokens: noTokens }));
  if (first === undefined) throw new Error('it is in use');
  let holdsRole = () => false;
  const conversation = async (_: unknown, ports: Ports) => {
    ({ holdsRole } = ports);
    return { close() {} };
  };
  const clock = fakeClock();
  const leases = {
    take: async (role: string) => ({ role, token: 1 }),
    owner: async () => undefined,
    renew: () => Promise.reject(new Error('the database is away')),
    release: async () => {},
  };
  const roles = { leases, wall: clock, steady: clock, log: pino({ enabled: false }) };
  const withToken = { ...first.platform, env: { token: 'PIGEON_TOKEN' }, conversation };
  const talking = await openConversations([{ ...first, platform: withToken }], { shared, roles });
  expect(holdsRole()).toBe(true);
  await clock.advance(8 * second);
  expect(holdsRole()).toBe(false);
  await talking.close();
});
