import { checkRows, judgedFailures } from '../../commands/kit/data-checks.ts';
import { unknown } from '../../language/format.ts';
import { say } from '../../language/say.ts';
import { join } from '../../language/text.ts';
import type { ReadDataChecks } from '../../platforms/web/ports/data-check-table.ts';
import { ifAnswered } from '../../runtime/errors.ts';
import type { Answering } from '../answer-commands.ts';

/** The most failures that the page lists. The command `quality checks` lists all. */
const maxFailures = 5;

/** Reads the data checks of the last day and writes it as the command does. Resolves with null if there is no answer. */
export const createDataCheckTable =
  ({ contextOf }: Pick<Answering, 'contextOf'>): ReadDataChecks =>
  async (given) => {
    const { caller, data, signal } = await contextOf(given);
    const checks = await ifAnswered(data.dataChecks({ limit: maxFailures }, signal));
    if (checks === undefined) return null;
    return {
      rows: checkRows(checks.values).map(({ value, resultText: said, others, failures }) => ({
        name: say(value, caller),
        said: say(said, caller),
        others: others.map((other) => say(other, caller)),
        failures,
      })),
      failures: judgedFailures(checks)
        .slice(0, maxFailures)
        // A failure that concerns no market has an empty cell for the market.
        .map((row) => row.filter((cell) => cell !== unknown))
        .map((cells) => say(join(cells, ' · '), caller)),
    };
  };
