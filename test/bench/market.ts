import { listed } from './market/listed.ts';
import { pace } from './market/pace.ts';
import { spikes } from './market/spikes.ts';

/** It takes twelve minutes. */
export const slow = true;

/** `npm run bench -- market`: from a print at the exchange to the platform. */
export default async function market(): Promise<void> {
  await listed();
  await pace(5_000);
  await spikes(1_000);
}
