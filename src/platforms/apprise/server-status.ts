import { z } from 'zod';
import { serverProblem } from '../server-problem.ts';
import { credentials, notAccepted, remedies } from './notifier.ts';
import type { AppriseOptions } from './options.ts';

/** The health response of an Apprise API server (github.com/caronc/apprise-api, HealthCheckView). */
const health = z.object({ status: z.object({ details: z.array(z.string()) }) });

/** With status 417 the server cannot write its own configuration, but it can send. */
const healthyStatuses: readonly number[] = [200, 417];

/** Checks the server's health. Whether the server knows a key is only known after something is posted to it. */
export const serverStatus = (options: AppriseOptions): Promise<string | null> =>
  serverProblem(`${options.url.replace(/\/+$/, '')}/status`, {
    headers: { accept: 'application/json', ...credentials(options) },
    timeout: options.timeout,
    isExpected: (status, json) => healthyStatuses.includes(status) && health.safeParse(json).success,
    unauthorizedProblem: notAccepted(new URL(options.url).host),
    remedy: remedies.rejected,
  });
