import { pino } from 'pino';
import type { NotifierPorts } from '#src/platforms/ports.ts';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { memoryMessages } from './messages.ts';

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
