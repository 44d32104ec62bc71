import { pino } from 'pino';
import { plainReader } from '#src/language/say.ts';
import type { NotifierPorts, Ports } from '#src/platforms/ports.ts';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { memoryMessages } from './messages.ts';
import { memoryPlaces } from './places.ts';

/** Ports of a notifier that do not delay and report nothing, except for what is given. */
export const notifierPorts = (given: Partial<NotifierPorts> = {}): NotifierPorts => ({
  pace: createPace({}, wallClock),
  reportLoss: () => {},
  reportTokenRefused: () => {},
  reportTokenAccepted: () => {},
  image: async () => undefined,
  messages: memoryMessages(),
  recall: async () => undefined,
  terminal: { columns: 80, color: false, timeZone: 'UTC', write: async () => {} },
  resolve: () => Promise.reject(new Error('no name is resolved here')),
  wall: wallClock,
  steady: given.wall ?? steadyClock,
  now: wallClock.now,
  log: pino({ enabled: false }),
  ...given,
});

/** Ports of a conversation that answers everything alike, except for what is given. */
export const conversationPorts = (given: Partial<Ports> = {}): Ports => ({
  ...notifierPorts(given),
  holdsRole: () => true,
  commands: [],
  kinds: [],
  universe: () => [],
  ask: async () => ({ title: 'An answer' }),
  complete: async () => [],
  listOwn: async () => ({ subscription: [], silence: [], rule: [], hook: [], board: [] }),
  reader: async () => plainReader,
  places: memoryPlaces().places,
  post: async () => {},
  onLoss: () => {},
  warmUpDrawing: () => {},
  ...given,
});
