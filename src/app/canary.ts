import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import type { Receiver } from '../alert/subscription.ts';
import type { Meta } from '../client/meta.ts';
import type { Detector } from '../detectors/detector.ts';
import type { Outlet } from '../pipeline/delivery.ts';
import type { Watched } from '../pipeline/watch.ts';
import type { Clock, WallClock } from '../runtime/clock.ts';
import { createPace } from '../runtime/pace.ts';
import { createSchedule } from '../runtime/schedule.ts';
import { hour, minute } from '../runtime/units.ts';
import type { BotStatus } from '../shell/command.ts';
import type { Store } from '../store/ports.ts';

/** The kind of the alert that watches the way of all others, and the name of the notifier to which it goes. */
export const canaryKind = 'canary';

const receiver: Receiver = { notifier: canaryKind, address: {} };

const state = z.object({ hour: z.int().nullable() });

const receiptSetting = 'canary';
/** When the newest alert that arrived was made, market ms. */
const receipt = z.object({ madeAt: z.number() });

/** How late an alert may be, wall ms: its detector looks every five minutes, and the outlet may have to be taken over. */
const patience = 10 * minute;

interface CanaryOptions {
  readonly store: Pick<Store, 'settings' | 'sending'>;
  readonly meta: Pick<Meta, 'last' | 'market'>;
  /** Whether this bot watches the market; else none is late here. */
  readonly watches: boolean;
  readonly wall: Pick<WallClock, 'sleep'>;
  readonly steady: Clock;
}

/**
 * An alert an hour of market time, of a row that nobody has measured. It goes the way of every alert, from detector to
 * notifier, and nobody sees it: while it does not arrive, others would not either.
 */
export function createCanary({ store, meta, watches, wall, steady }: CanaryOptions) {
  let knownSince: number | undefined;
  const knowsTime = () => {
    // Before the service has answered, the market's time is a guess.
    if (watches && meta.last() !== undefined) knownSince ??= steady.now();
    return knownSince !== undefined;
  };

  const detector: Detector<z.ZodObject, typeof state, number | null> = {
    name: canaryKind,
    description: canaryKind,
    preset: 'everything',
    schedule: '0 */5 * * * *',
    prediction: null,
    options: z.object({}),
    state,
    observe: async ({ now }) => (knowsTime() ? Math.floor(now / hour) : null),
    step(past, seen, { now }) {
      const last = past?.hour ?? null;
      if (seen === null || seen === last) return { state: { hour: last }, changes: [] };
      const end = last === null ? [] : [changeOf('resolved', { of: last, now })];
      return { state: { hour: seen }, changes: [...end, changeOf('firing', { of: seen, now })] };
    },
  };
  const watched: Watched = {
    detector,
    options: {},
    schedule: createSchedule(detector.schedule),
    internal: true,
  };

  const outlet: Outlet = {
    name: canaryKind,
    concurrency: 1,
    pace: createPace({}, { now: steady.now, sleep: wall.sleep }),
    readByPrograms: true,
    connection: {
      async send({ id, card }) {
        await store.settings.put(receiptSetting, JSON.stringify({ madeAt: card.dataTime }));
        return id;
      },
      edit: async (reference) => reference,
    },
  };

  return {
    watched,
    outlet,
    /** Returns when the newest one that arrived was made, and whether the next is late. */
    async read(): Promise<NonNullable<BotStatus['canary']>> {
      const text = await store.settings.get(receiptSetting);
      const { now, speed } = meta.market();
      const slack = patience * speed;
      const madeAt = text === undefined ? undefined : receipt.safeParse(JSON.parse(text)).data?.madeAt;
      // What is ahead of now is of a clock that was wrong.
      const last = madeAt === undefined || madeAt > now() + slack ? null : madeAt;
      const isLate = last === null || now() - last > hour + slack;
      const isExpected = knowsTime() && steady.now() - (knownSince ?? 0) > patience;
      return { last, late: isLate && isExpected && (await store.sending.paused()) === null };
    },
  };
}

export type Canary = ReturnType<typeof createCanary>;

const changeOf = (
  status: Change['status'],
  { of, now }: { readonly of: number; readonly now: number },
): Change => ({
  status,
  labels: { kind: canaryKind, hour: String(of) },
  severity: 'info',
  annotations: { title: canaryKind, summary: '', facts: [], dataTime: now },
  only: receiver,
  burst: null,
});
