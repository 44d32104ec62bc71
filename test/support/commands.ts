import { sourceLine } from '#src/card/source.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { BotStatus, Caller, Command, CommandContext } from '#src/shell/command.ts';
import type { CommandRequest } from '#src/shell/request.ts';
import { managerRights } from '#src/shell/rights.ts';
import { runCommand } from '#src/shell/run.ts';
import { noConnecting } from './console.ts';
import { dataClient, now, universe } from './data.ts';
import { memoryStore } from './memory-store.ts';

export const commands = await loadPlugins<Command>(new URL('../../src/commands', import.meta.url).pathname);

export const caller: Caller = {
  receiver: { notifier: 'web', address: { room: 'here' } },
  user: 'ada',
  rights: new Set([...managerRights, 'operate']),
  language: 'en',
  timeZone: 'UTC',
};

export const botStatus: BotStatus = {
  source: 'simulated',
  marketTime: now,
  speed: 240,
  ready: true,
  feeds: [
    { name: 'candles', age: 3 * minute, fresh: true },
    { name: 'liquidations', age: 2 * hour, fresh: false, problem: { message: 'the socket is silent' } },
  ],
  budget: { used: 41, limit: 300, reserved: 30, window: 15 * minute },
  outbox: { waiting: 0, oldest: null },
  detectors: [{ name: 'funding-extreme', lastRun: now - minute, problem: null }],
  uptime: hour,
};

const kinds = [
  ['data-quality', 'standard'],
  ['funding-extreme', 'standard'],
  ['liquidation-burst', 'standard'],
  ['oi-momentum', 'everything'],
  ['regime-transition', 'quiet'],
] as const;

/** Creates the context of a command over the fixture; `over` replaces what the test is about. */
export const commandContext = (over: Partial<CommandContext> = {}): CommandContext => ({
  caller,
  data: dataClient(),
  store: memoryStore(),
  now,
  universe,
  listed: over.universe ?? universe,
  marketKinds: {},
  kinds: kinds.map(([name, preset]) => ({ name, preset, description: `When ${name} changes` })),
  commands,
  settings: { delivery: { budget: 8 } },
  readByPrograms: false,
  records: { scores: async () => [], callers: async () => [] },
  preview: async () => ({ state: 'pending', complete: new Promise(() => {}) }),
  status: async () => botStatus,
  source: () => sourceLine(botStatus),
  connecting: noConnecting,
  isOperatorPlace: true,
  tryPost: async () => {},
  runElsewhere: async (place, line) => ({ title: `At ${place}`, summary: line }),
  rewriteLine: () => undefined,
  renewContext: () => commandContext(over),
  soon: (work) => work,
  signal: new AbortController().signal,
  ...over,
});

/** Runs a command over the fixture. An unexpected error is thrown to the test instead of being shown to the user. */
export const ask = (request: CommandRequest, over: Partial<CommandContext> = {}) =>
  runCommand(commands, {
    request,
    context: commandContext(over),
    report: (error) => {
      throw error;
    },
  });

/** Runs a command over the fixture, and returns with its answer what was reported as a bug. */
export async function askReporting(request: CommandRequest, over: Partial<CommandContext> = {}) {
  const reported: unknown[] = [];
  const report = (error: unknown) => {
    reported.push(error);
    return 'k3f9';
  };
  const answer = await runCommand(commands, { request, context: commandContext(over), report });
  return { ...answer, reported };
}
