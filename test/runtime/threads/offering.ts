import { isMainThread, workerData } from 'node:worker_threads';
import { ApiError, ConfigError } from '#src/runtime/errors.ts';
import { offerToParent } from '#src/runtime/thread.ts';

const offered = {
  add: (one: number, two: number) => one + two,
  later: async (text: string) => text.toUpperCase(),
  place: () => ({ isMainThread, workerData, env: Object.keys(process.env) }),
  uncopied: () => () => {},
  refuse: () => {
    throw new ConfigError(['one', 'two'], { mayPass: true });
  },
  limit: async () => {
    const cause = new TypeError('socket', { cause: 'closed' });
    throw new ApiError('/oi', 'rate_limited', 'wait', { cause, retryAfter: 7 });
  },
  stray: () => {
    throw Object.assign(new RangeError('beyond'), { callback: () => {} });
  },
  hang: () => new Promise<never>(() => {}),
  spin: () => {
    for (;;);
  },
  throwLater: () => {
    setImmediate(() => {
      throw new Error('by itself');
    });
    return new Promise<never>(() => {});
  },
  exit: () => process.exit(3),
  askBack: async (number: number) => parent.double(number),
  failBack: async () =>
    parent.fail().then(
      () => 'answered',
      (error: unknown) => error instanceof ApiError && error.reason,
    ),
};
export type Offering = typeof offered;
export interface Parent {
  double(number: number): number;
  fail(): never;
}
const parent = offerToParent<Parent>(offered);
