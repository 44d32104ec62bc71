import { costInPostgres, costInSqlite } from './archive/rows.ts';

/** The bench takes an hour, and 15 GB of the disk. */
export const slow = true;

const millions = 100;

/** `npm run bench -- archive-hundred-million`: what the rows of 2,500 markets with three more venues cost. */
export default async function archiveHundredMillion(): Promise<void> {
  await costInSqlite(millions);
  await costInPostgres(millions);
}
