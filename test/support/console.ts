import type { Card } from '#src/card/card.ts';
import { type Console, type ConsoleOptions, createConsole } from '#src/platforms/web/console.ts';
import type { WebPost } from '#src/platforms/web/message.ts';
import type { AlertFeed } from '#src/platforms/web/ports/alert-feed.ts';
import type { ApiData } from '#src/platforms/web/ports/api.ts';
import type { DataCheckTable } from '#src/platforms/web/ports/data-check-table.ts';
import type { Destinations } from '#src/platforms/web/ports/destinations.ts';
import type { KeyDesk } from '#src/platforms/web/ports/key-desk.ts';
import type { PageMembers } from '#src/platforms/web/ports/members.ts';
import type { ReadSeries } from '#src/platforms/web/ports/past-series.ts';
import type { SettingsDesk } from '#src/platforms/web/ports/settings-desk.ts';
import { createPublisher } from '#src/platforms/web/publish.ts';
import { wallClock } from '#src/runtime/clock.ts';
import type { BotStatus, Caller } from '#src/shell/command.ts';
import type { Connecting, ConnectingState } from '#src/shell/connecting.ts';
import { someDesk, someRecord } from './desk.ts';
import { memoryMessages } from './messages.ts';

export const marketNow = Date.UTC(2026, 2, 14, 9, 30);

export const botStatus: BotStatus = {
  source: 'simulated',
  marketTime: marketNow,
  speed: 240,
  ready: true,
  feeds: [
    { name: 'candles', age: 42_000, fresh: true },
    { name: 'funding', age: 190_000, fresh: true },
    { name: 'liquidations', age: 1_300_000, fresh: false, problem: { message: 'the socket is silent' } },
  ],
  budget: { used: 87, limit: 300, reserved: 60, window: 900_000 },
  outbox: { waiting: 2, oldest: marketNow - 4_000 },
  detectors: [{ name: 'regime-transition', lastRun: marketNow - 60_000, problem: null }],
  uptime: 3_600_000,
};

const hour = 3_600_000;
const wave = (size: number, from: number) =>
  Array.from({ length: 72 }, (_, index): [number, number] => [
    marketNow - (71 - index) * hour,
    from + size * (Math.sin(index / 9) + Math.sin(index / 3.1) / 3) + (size * index) / 60,
  ]);

export const alertCard: Card<string> = {
  title: 'BTCUSDT funding is extreme: longs pay 0.091 %',
  summary: 'Three standard deviations above its own last 30 days. Leverage leans long.',
  severity: 'critical',
  status: 'firing',
  facts: [
    { name: 'Rate', value: '0.0910 %' },
    { name: 'Annualised', value: '99.6 %' },
    { name: 'z-score', value: '3.42' },
    { name: 'Mean of 30 days', value: '0.0104 %' },
  ],
  chart: {
    title: 'Funding rate',
    unit: '%',
    series: [{ name: 'BTCUSDT', points: wave(0.03, 0.02) }],
    marks: [{ name: 'EXTREME', value: 0.08 }],
  },
  actions: [
    { label: 'Silence for 4 h', command: 'silence funding-extreme BTCUSDT 4h' },
    { label: 'BTCUSDT now', command: 'coin BTCUSDT' },
  ],
  dataTime: marketNow,
  source: 'simulated, 240 ×',
};

export const marketCard: Card<string> = {
  title: 'Market: MARKUP, RISK_ON',
  summary: 'Strongest deviations from neutral first.',
  facts: [
    { name: 'Fear and greed', value: '64' },
    { name: 'Coins', value: '30' },
  ],
  table: {
    columns: ['Coin', 'Price', 'Signal', 'Funding', 'Master'],
    rows: [
      ['BTCUSDT', '61,204.5', '0.71', '0.0910 %', '83'],
      ['ETHUSDT', '2,981.20', '0.44', '0.0210 %', '71'],
      ['SOLUSDT', '142.07', '−0.63', '−0.0150 %', '24'],
    ],
  },
  chart: {
    title: 'Open interest',
    unit: 'USD',
    series: [
      { name: 'BTCUSDT', points: wave(4e8, 8e9) },
      { name: 'ETHUSDT', points: wave(3e8, 4e9) },
    ],
  },
  dataTime: marketNow,
  source: 'simulated, 240 ×',
};

const someDataChecks: DataCheckTable = {
  rows: [
    {
      name: 'Mark price',
      said: 'Binance USD-M: 99.8% of 432 checks within tolerance',
      others: ['Bybit: its own market is 0.12% apart (median of 48)', 'OKX, Hyperliquid: cannot be asked'],
      failures: 1,
    },
    {
      name: 'Funding',
      said: 'Binance USD-M: 100.0% of 430 checks within tolerance',
      others: [],
      failures: 0,
    },
    { name: 'Liquidations', said: 'Binance USD-M: cannot be asked', others: [] },
  ],
  failures: ['Mark price · SOL · Binance USD-M · −2.16%, allowed 0.91%'],
};

export const noAlerts: AlertFeed = {
  page: async () => [],
  changed: async () => [],
  life: async () => undefined,
  clock: () => ({ now: marketNow, speed: 240 }),
};

/** Returns a wave over thirty days for any request. */
export const waveSeries: ReadSeries = async ({ days }) => ({
  unit: '%',
  window: { from: marketNow - days * 24 * hour, to: marketNow },
  source: 'simulated, 240 ×',
  points: Array.from({ length: 30 * 24 }, (_, index): [number, number] => [
    marketNow - (30 * 24 - 1 - index) * hour,
    2 * Math.sin(index / 41) + 1.2 * Math.sin(index / 17.3) + 0.5 * Math.sin(index / 2.9),
  ]),
});

export const noData: ApiData = {
  subscriptions: async () => [],
  rules: async () => [],
  silences: async () => [],
  deliveries: async () => [],
  scores: async () => [],
  change: async () => ({ title: 'Changed', data: [] }),
};

const unused = () => Promise.reject(new Error('nothing is connected here'));
/** A bot that connects nothing. */
export const noConnecting: Connecting = {
  list: async () => [],
  connect: unused,
  disconnect: unused,
  sample: unused,
  begin: unused,
};

/** A bot without settings. */
export const noSettings: SettingsDesk = { list: () => [], change: unused, preview: unused };
/** A bot that sends nowhere. */
export const noDestinations: Destinations = {
  list: async () => [],
  mute: unused,
  restyle: unused,
  test: unused,
};
/** A page on which nobody signs in by a platform. */
export const noMembers: PageMembers = {
  ways: () => [],
  readPlace: () => undefined,
  writePlace: () => '',
  has: async () => false,
  likely: async () => [],
  sessions: { begin: unused, find: unused, lasts: unused, renew: unused, end: unused },
};
export const noKeys: KeyDesk = { list: async () => [], create: unused, revoke: unused };

/** Starts a console on loopback. Options that are not given have plausible defaults. `log` collects its errors. */
export async function startConsole(options: Partial<ConsoleOptions> = {}): Promise<
  Console & {
    readonly publish: ReturnType<typeof createPublisher>;
    /** Publishes a card as the first version of the room's first post, or as `given` says. */
    readonly post: (card: Card<string>, given?: Partial<WebPost>) => Promise<unknown>;
    readonly asked: { line: string; caller: Caller }[];
    readonly log: object[];
  }
> {
  const asked: { line: string; caller: Caller }[] = [];
  const log: object[] = [];
  const { messages = memoryMessages(), wall = wallClock } = options;
  const console = await createConsole({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    url: null,
    members: noMembers,
    token: null,
    viewerToken: null,
    mcp: false,
    commands: [],
    keys: { findHolder: async () => undefined },
    api: noData,
    wall,
    messages,
    async ask(request, caller) {
      const line = String(request);
      asked.push({ line, caller });
      return line === 'market' ? marketCard : { title: `You said ${line}` };
    },
    reader: async ({ language = 'en', timeZone = 'UTC' }) => ({ language, timeZone }),
    complete: async (line) =>
      ['market', 'funding', 'help']
        .filter((name) => name.startsWith(line))
        .map((name) => ({ label: name, line: `${name} `, description: `About ${name}` })),
    status: async () => botStatus,
    alerts: async () => [{ id: 'a-1' }],
    deliveries: async () => [],
    metrics: async () => 'tocsin_up 1\n',
    board: { read: () => ({}), onPatch: () => {} },
    feed: noAlerts,
    series: waveSeries,
    watchlist: async () => [],
    image: async () => undefined,
    desk: someDesk(marketNow),
    record: someRecord,
    dataChecks: async () => someDataChecks,
    connecting: noConnecting,
    settings: noSettings,
    destinations: noDestinations,
    keyDesk: noKeys,
    push: { key: async () => undefined, begin: unused, end: unused },
    receiveHook: async () => ({ status: 202, body: { status: 'accepted' } }),
    ready: () => ({ started: true, refusedPlatforms: [] }),
    roles: async () => [{ role: 'watch', held: true }],
    log: { error: (context) => void log.push(context) },
    ...options,
  });
  const publish = createPublisher({ messages, wall });
  return {
    ...console,
    publish,
    post: (card, given) => publish({ id: 'post-1', room: 'main', edited: false, card, ...given }),
    asked,
    log,
  };
}

const connectingState = (name: string, given: Partial<ConnectingState> = {}): ConnectingState => ({
  name,
  title: name,
  source: null,
  steps: ['Open https://discord.com/developers/applications, press New Application and give it a name.'],
  asks: [{ option: 'token', label: 'Bot token', secret: true, required: true }],
  addressExample: `${name}:123`,
  places: [],
  barred: [],
  ...given,
});

/** A bot with Discord connected, in a place with a long name, and others not. */
export const someConnecting: Connecting = {
  ...noConnecting,
  list: async () => [
    connectingState('discord', {
      title: 'Discord',
      source: 'here',
      joining: 'Add the bot to a server that you manage.',
      bot: {
        name: 'tocsin',
        link: 'https://discord.com/oauth2/authorize?client_id=1456074443980800002&scope=bot',
      },
      places: [{ name: `${'A server with a long name '.repeat(4)}· #alerts`, address: { channelId: '1' } }],
    }),
    connectingState('telegram', {
      title: 'Telegram',
      source: 'here',
      problem: 'Telegram does not accept TELEGRAM_TOKEN',
    }),
    connectingState('slack', { title: 'Slack', source: 'configuration' }),
    connectingState('email', { title: 'Email' }),
  ],
};
