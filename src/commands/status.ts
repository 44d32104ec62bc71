import { z } from 'zod';
import { kindsText } from '../alert/subscription.ts';
import { sourceLine } from '../card/source.ts';
import { count, labelTitle, share, span, time, words } from '../language/format.ts';
import { join, msg, msgIn, type Text } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { type BotStatus, defineCommand } from '../shell/command.ts';
import { problemText } from '../shell/failure.ts';

export default defineCommand({
  name: 'status',
  topic: 'chat',
  description: msg('Bot status: data source, age of the data, what is in progress'),
  input: z.object({}),
  async run(_, context) {
    const status = await context.status();
    const { marketTime, ready, loaded, feeds, detectors, uptime, paused } = status;
    const line = sourceLine(status);
    const stale = feeds.filter(({ fresh }) => !fresh);
    const waiting = detectors.filter(({ problem, waits }) => problem !== null || waits !== undefined);
    const isMute = status.canary?.late === true;
    return {
      ...(isMute && { severity: 'critical' as const, status: 'firing' as const }),
      title: isMute
        ? msg('Status: alerts do not arrive, data {source}', { source: line })
        : ready
          ? msg('Status: running, data {source}', { source: line })
          : msg('Status: getting ready, data {source}', { source: line }),
      summary:
        loaded !== undefined
          ? msg('Its history is still loading: {share}.', { share: share(loaded) })
          : stale.length + waiting.length === 0
            ? msg('Every feed is fresh and every detector runs.')
            : join(
                [
                  msg('{fresh, number} of {feeds, number} feeds fresh', {
                    fresh: feeds.length - stale.length,
                    feeds: feeds.length,
                  }),
                  waiting.length === 0
                    ? undefined
                    : msg('{n, plural, one {# detector} other {# detectors}} waiting: {names}', {
                        n: waiting.length,
                        names: kindsText(waiting.map(({ name }) => name)),
                      }),
                ],
                '; ',
              ),
      facts: compact([
        paused != null && {
          name: msg('Sending'),
          value: msg('paused by the operator since {since}: alerts wait', { since: time(paused.at) }),
        },
        ...(status.refused ?? []).map(({ platform, reason }) => ({ name: words(platform), value: reason })),
        status.away?.pause && { name: msg('Data service'), value: pauseText(status.away.pause) },
        status.clockAhead !== undefined && {
          name: msg('Clock of this machine'),
          value: clockText(status.clockAhead),
        },
        status.canary && { name: msg('Test alert'), value: canaryText(status.canary) },
        { name: msg('Market time'), value: time(marketTime) },
        { name: msg('Running for'), value: span(uptime) },
        { name: msg('Request budget'), value: budgetText(status.budget) },
        { name: msg('Outbox'), value: outboxText(status.outbox) },
      ]),
      table: {
        columns: [msg('Feed or detector'), msgIn('seen', 'Last'), msg('State')],
        rows: [
          ...feeds.map(({ name, age, fresh, problem }) => [
            name,
            age === undefined ? msg('never') : msg('{age} ago', { age: span(age) }),
            problem === undefined
              ? fresh
                ? msg('fresh')
                : msg('stale')
              : join([problemText(problem), problem.reason && problem.message], ' '),
          ]),
          ...detectors.map(({ name, lastRun, problem, waits }) => [
            labelTitle(name),
            lastRun === null ? msg('never') : msg('{age} ago', { age: span(marketTime - lastRun) }),
            problem === null ? (waits ?? msg('can fire')) : problemText(problem),
          ]),
        ],
      },
      dataTime: marketTime,
      source: line,
    };
  },
});

const budgetText = ({ used, limit, window, reserved }: BotStatus['budget']): Text =>
  msg('{used} of {limit} used in {window}, {reserved} kept for questions', {
    used: count(used),
    limit: count(limit),
    window: span(window),
    reserved: count(reserved),
  });

const pauseText = ({ reason, left }: NonNullable<NonNullable<BotStatus['away']>['pause']>): Text =>
  ({
    rate_limited: msg('pauses for {left}: too many requests', { left: span(left) }),
    not_ready: msg('pauses for {left}: it is not ready', { left: span(left) }),
    budget_spent: msg('request budget used up: next request in {left}', { left: span(left) }),
  })[reason];

const clockText = (ahead: number): Text =>
  ahead > 0
    ? msg('{by} fast: it needs NTP', { by: span(ahead) })
    : msg('{by} slow: it needs NTP', { by: span(-ahead) });

/** One is made each hour of market time, and nobody sees it. */
const canaryText = ({ last, late }: NonNullable<BotStatus['canary']>): Text =>
  last === null
    ? late
      ? msg('none has arrived: no alert does')
      : msg('none yet')
    : late
      ? msg('the last arrived at {time}: no alert does since', { time: time(last) })
      : msg('arrived at {time}', { time: time(last) });

const outboxText = ({ waiting, more, oldest }: BotStatus['outbox']): Text => {
  if (waiting === 0) return msg('empty');
  const values = { waiting: more === true ? join([count(waiting), '+'], '') : count(waiting) };
  return oldest === null
    ? msg('{waiting} waiting', values)
    : msg('{waiting} waiting, the oldest since {oldest}', { ...values, oldest: time(oldest) });
};
