import { z } from 'zod';
import type { BodyReading } from './fields.ts';
import { plain, plainLines } from './plain.ts';
import { maxLengths, type Signal } from './signal.ts';

/** The body of Uptime Kuma's webhook (server/notification-providers/webhook.js). Its test has neither heartbeat nor monitor. */
export const uptimeKuma = z.looseObject({
  heartbeat: z.looseObject({ status: z.coerce.number() }),
  monitor: z.looseObject({ id: z.unknown().optional(), name: z.unknown().optional() }),
  msg: z.unknown().optional(),
});

/** The state of a heartbeat (src/util.ts); 0 is down, 2 pending, 3 maintenance. */
const up = 1;

export const signalOfMonitor = (
  { heartbeat, monitor, msg }: z.output<typeof uptimeKuma>,
  { severity }: Pick<BodyReading, 'severity'>,
): Signal => {
  const name = plain(monitor.name, maxLengths.name);
  const id = plain(monitor.id, maxLengths.name);
  return {
    ended: heartbeat.status === up,
    identity: { name: name === '' ? id : name, ...(id !== '' && { instance: id }) },
    severity,
    title: name,
    text: plainLines(msg ?? heartbeat.msg, maxLengths.text),
    facts: [],
    kept: true,
  };
};
