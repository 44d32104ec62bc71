import { z } from 'zod';
import { count, sourceLine, time } from '../card/format.ts';
import { formatDuration } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'status',
  description: 'How the bot is: where its data comes from, how old it is, what is under way',
  input: z.object({}),
  async run(_, { status, caller }) {
    const { source, speed, marketTime, ready, feeds, budget, outbox, detectors, uptime, paused } =
      await status();
    const line = sourceLine(source, speed);
    const stale = feeds.filter(({ fresh }) => !fresh);
    const failing = detectors.filter(({ problem }) => problem !== null);
    return {
      title: `Status: ${ready ? 'running' : 'getting ready'}, data ${line}`,
      summary:
        stale.length + failing.length === 0
          ? 'Every feed is fresh and every detector runs.'
          : `${stale.length} of ${feeds.length} feeds are not fresh, ${failing.length} of ${detectors.length} detectors fail. What they would see is not known meanwhile.`,
      facts: [
        ...(paused
          ? [
              {
                name: 'Sending',
                value: `paused by the operator since ${time(paused.at, caller.timeZone)}: alerts wait`,
              },
            ]
          : []),
        { name: 'Market time', value: time(marketTime, caller.timeZone) },
        { name: 'Running for', value: formatDuration(uptime) },
        {
          name: 'Request budget',
          value: `${count(budget.used)} of ${count(budget.limit)} used in ${formatDuration(budget.window)}, ${count(budget.reserved)} kept for questions`,
        },
        {
          name: 'Outbox',
          value:
            outbox.waiting === 0
              ? 'empty'
              : `${count(outbox.waiting)} waiting${outbox.oldest === null ? '' : `, the oldest since ${time(outbox.oldest, caller.timeZone)}`}`,
        },
      ],
      table: {
        columns: ['Feed or detector', 'Last', 'State'],
        rows: [
          ...feeds.map(({ name, age, fresh, problem }) => [
            name,
            age === undefined ? 'never' : `${formatDuration(age)} ago`,
            problem ?? (fresh ? 'fresh' : 'stale'),
          ]),
          ...detectors.map(({ name, lastRun, problem }) => [
            name,
            lastRun === null ? 'never' : `${formatDuration(marketTime - lastRun)} ago`,
            problem ?? 'runs',
          ]),
        ],
      },
      dataTime: marketTime,
      source: line,
    };
  },
});
