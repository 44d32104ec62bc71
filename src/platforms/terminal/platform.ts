import { z } from 'zod';
import { definePlatform } from '../platform.ts';
import { createNotifier } from './notifier.ts';
import { startTerminal } from './terminal.ts';

/** The terminal in which the bot runs: a single place without an address. */
export default definePlatform({
  name: 'terminal',
  options: z.strictObject({}),
  address: z.strictObject({}),
  addressFormat: { example: 'terminal', read: (text) => (text === 'terminal' ? {} : undefined) },
  person: { example: 'terminal', pattern: /^terminal$/ },
  shown: (address) => address,
  limits: { total: { per: 1_000, max: 20 }, concurrency: 1 },
  operatorPlace: { address: {}, isLocal: true },
  notifier: (_, { terminal }) => createNotifier(terminal),
  conversation: async (_, ports) => startTerminal(ports),
});
