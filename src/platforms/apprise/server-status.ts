import { z } from 'zod';
import { serverProblem } from '../server-problem.ts';
import { credentials, notAccepted, remedies } from './notifier.ts';
import type { AppriseOptions } from './options.ts';

/** As an Apprise API server says how it is (github.com/caronc/apprise-api, HealthCheckView). */
const health = z.object({ status: z.object({ details: z.array(z.string()) }) });

/** With 417 it cannot write its own configuration, which keeps nothing from being sent. */
const wellEnough: readonly number[] = [200, 417];

/** By its health: whether it knows a key is not known before something is posted there. */
export const serverStatus = (options: AppriseOptions): Promise<string | null> =>
  serverProblem(`${options.url.replace(/\/+$/, '')}/status`, {
    headers: { accept: 'application/json', ...credentials(options) },
    timeout: options.timeout,
    meant: (status, json) => wellEnough.includes(status) && health.safeParse(json).success,
    notAccepted: notAccepted(new URL(options.url).host),
    remedy: remedies.rejected,
  });
