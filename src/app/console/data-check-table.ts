import type { Addresses } from '../../alert/subscription.ts';
import type { Client } from '../../client/create-client.ts';
import { checkRows, judgedFailures } from '../../commands/kit/data-checks.ts';
import { unknown } from '../../language/format.ts';
import { say } from '../../language/say.ts';
import { join } from '../../language/text.ts';
import type { ReadDataChecks } from '../../platforms/web/ports/data-check-table.ts';
import { ifAnswered } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import type { Answering } from '../answer-commands.ts';

/** How long a person's question may take, wall ms. */
const questionTimeout = 20 * second;
/** The most failures that the page lists. The command `quality checks` lists all. */
const maxFailures = 5;

/** Reads the data checks of the last day and writes it as the command does. Resolves with null if there is no answer. */
export const createDataCheckTable =
  ({
    client,
    addresses,
    reader,
  }: {
    readonly client: Pick<Client, 'questions'>;
    readonly addresses: Pick<Addresses, 'accountOf'>;
    readonly reader: Answering['reader'];
  }): ReadDataChecks =>
  async (caller) => {
    const data = client.questions({ chat: addresses.accountOf(caller.receiver), person: caller.person });
    const checks = await ifAnswered(
      data.dataChecks({ limit: maxFailures }, AbortSignal.timeout(questionTimeout)),
    );
    if (checks === undefined) return null;
    const callerReader = await reader(caller);
    return {
      rows: checkRows(checks.values).map(({ value, resultText: said, others, failures }) => ({
        name: say(value, callerReader),
        said: say(said, callerReader),
        others: others.map((other) => say(other, callerReader)),
        failures,
      })),
      failures: judgedFailures(checks)
        .slice(0, maxFailures)
        // A failure that concerns no market has an empty cell for the market.
        .map((row) =>
          say(
            join(
              row.filter((cell) => cell !== unknown),
              ' · ',
            ),
            callerReader,
          ),
        ),
    };
  };
