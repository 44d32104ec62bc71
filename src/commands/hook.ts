import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import { type Hook, kindOfHook } from '../alert/hook.ts';
import type { Card } from '../card/card.ts';
import { newLock } from '../hook/admit.ts';
import { sayReading } from '../hook/seen-body.ts';
import { UserError } from '../language/errors.ts';
import { span, time } from '../language/format.ts';
import { say } from '../language/say.ts';
import { lines, msg, typed } from '../language/text.ts';
import { recordFact } from '../record/record-fact.ts';
import { day } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { ownId, timeSpan } from '../shell/input.ts';
import { change, makerOf } from './kit/change.ts';
import { addressOf, checkName, checkNewHook, findHook, hookFacts, readTemplate } from './kit/hook-input.ts';
import { proveReach } from './kit/subscription-preferences.ts';

const actions = ['list', 'create', 'show', 'test', 'delete'] as const;
const template = z.string().trim().max(200);

const input = z.object({
  action: z.enum(actions).default('list').describe('What to do'),
  name: z.string().trim().min(1).max(60).optional().describe('What to call it'),
  id: ownId('hook').describe('Id of a hook in this chat').optional(),
  symbol: template.describe('Field of the market, in braces (default: symbol, ticker, …)').optional(),
  direction: template.describe('Field that says buy or sell, long or short, in braces').optional(),
  severity: template
    .describe('info, warning, critical, or its field in braces (default: warning)')
    .optional(),
  title: template.describe('The title: words, and fields in braces').optional(),
  text: template.describe('What stands below the title: words, and fields in braces').optional(),
  status: template.describe('Field that says when something is over, in braces').optional(),
  alert: template.describe('What tells one alert from another: words, and fields in braces').optional(),
  for: timeSpan('1m', '30d').describe('How long an alert lasts that is not repeated').optional(),
  signed: z.enum(['yes', 'no']).default('no').describe('Only bodies signed by Standard Webhooks'),
  key: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{22,100}={0,2}$/)
    .optional()
    .describe('The key of a sender that has one (whsec_…)'),
});
type Given = z.output<typeof input>;

export default defineCommand({
  name: 'hook',
  topic: 'alerts',
  otherNames: ['hooks'],
  description: msg('Alerts from elsewhere: TradingView, Alertmanager or any program posts them to this chat'),
  takes: 'own',
  personal: true,
  input,
  actions: {
    list: { description: msg('The hooks of this chat') },
    create: {
      description: msg('Create a hook: its secret is shown once'),
      requiredInputs: ['name'],
      optionalInputs: [
        'symbol',
        'direction',
        'severity',
        'title',
        'text',
        'status',
        'alert',
        'for',
        'signed',
        'key',
      ],
    },
    show: {
      description: msg('One hook: its address, what it reads, the last bodies, its record'),
      requiredInputs: ['id'],
    },
    test: { description: msg('Send a test through a hook'), requiredInputs: ['id'] },
    delete: {
      description: msg('Delete a hook: its secret is void and its alerts end'),
      requiredInputs: ['id'],
    },
  } satisfies Record<(typeof actions)[number], object>,
  async run(given, context) {
    const { store, caller } = context;
    const existing = () => store.hooks.of(caller.receiver);
    const meant = given.id ?? given.name;
    switch (given.action) {
      case 'create':
        return create(given, context);
      case 'show':
        return show(findHook(meant, await existing()), context);
      case 'test':
        return test(meant, context);
      case 'delete':
        return remove(meant, context);
      case 'list':
        return list(await existing());
    }
  },
});

async function create(given: Given, context: CommandContext): Promise<Card> {
  const { caller, now } = context;
  const { key } = given;
  const name = checkName(given.name);
  const chosen = severities.find((each) => each === given.severity);
  const newHook: Omit<Hook, 'id'> = {
    receiver: caller.receiver,
    name,
    template: readTemplate({
      name: given.alert,
      symbol: given.symbol,
      direction: given.direction,
      severity: chosen === undefined ? given.severity : undefined,
      title: given.title,
      text: given.text,
      status: given.status,
    }),
    severity: chosen ?? 'warning',
    lasts: given.for ?? null,
    signed: given.signed === 'yes' || key !== undefined,
    createdBy: makerOf(caller),
    createdAt: now,
  };
  const { secret, lock } = newLock(newHook.signed, key);
  await proveReach(context);
  const hook = await change(context, async (places, record) => {
    await checkNewHook(newHook, places);
    const added = await places.hooks.add(newHook, lock);
    record(msg('hook {id} created: {name}', { id: added.id, name }));
    return added;
  });
  return {
    title: msg('Hook created'),
    summary: lines(
      hook.signed
        ? msg('POST signed bodies to the address below, on the host at which this bot’s page is reached.')
        : msg(
            'POST to the address below, on the host at which this bot’s page is reached. Where the sender can set headers, leave the secret out of the address and send it as Authorization: Bearer.',
          ),
      msg('The secret is not shown again: whoever has it can post here.'),
    ),
    facts: [
      { name: msg('Id'), value: hook.id },
      { name: msg('Address'), value: hook.signed ? addressOf(hook) : `${addressOf(hook)}/${secret}` },
      ...(key === undefined ? [{ name: msg('Secret'), value: secret }] : []),
      ...hookFacts(hook),
    ],
    actions: [
      { label: msg('Test'), command: `hook test id=${hook.id}` },
      { label: msg('Delete'), command: `hook delete id=${hook.id}` },
    ],
  };
}

async function show(hook: Hook, { records, store }: CommandContext): Promise<Card> {
  const recent = await store.hooks.recent(hook.id);
  const scores = await records.scores({ kind: kindOfHook(hook.id) });
  const record = scores.find(({ horizon, n }) => horizon === day && n > 0);
  return {
    title: hook.name,
    facts: [
      { name: msg('Id'), value: hook.id },
      { name: msg('Address'), value: addressOf(hook) },
      ...hookFacts(hook),
      ...(record?.found === undefined ? [] : [recordFact(record)]),
    ],
    ...(recent.length > 0 && {
      table: {
        columns: [msg('Received'), msg('Read as'), msg('Body')],
        rows: recent.map((seen) => [time(seen.at), sayReading(seen), seen.body]),
      },
    }),
    actions: [
      { label: msg('Test'), command: `hook test id=${hook.id}` },
      { label: msg('Scorecard'), command: `scorecard ${kindOfHook(hook.id)}` },
      { label: msg('Silence ▸'), command: `silence ${kindOfHook(hook.id)}` },
      { label: msg('Delete'), command: `hook delete id=${hook.id}` },
    ],
  };
}

/** The most messages of one hook that may wait in the inbox, as in hook/receive.ts. */
const maxWaiting = 1_000;

async function test(id: string | undefined, context: CommandContext): Promise<Card> {
  const { caller, now } = context;
  const hook = await change(context, async (places) => {
    const meant = findHook(id, await places.hooks.of(caller.receiver));
    const signal = {
      ended: false,
      identity: { name: 'test' },
      severity: meant.severity,
      title: say(msg('Test of the hook “{name}”', { name: meant.name }), caller),
      text: say(msg('This is a test: nothing has happened.'), caller),
      facts: [],
      kept: false,
    };
    const received = { hook: meant.id, key: `test:${now}`, at: now, market: now, signals: [signal] };
    if ((await places.hooks.accept(received, { since: now, maxWaiting })) === 'full')
      throw new UserError(msg('Too many messages of this hook are waiting. Try again in a minute.'));
    return meant;
  });
  return {
    title: msg('Test on its way'),
    summary: msg('It comes here as an alert of “{name}” within a few seconds and ends by itself.', {
      name: hook.name,
    }),
  };
}

async function remove(id: string | undefined, context: CommandContext): Promise<Card> {
  const { receiver } = context.caller;
  const hook = await change(context, async (places, record) => {
    const meant = findHook(id, await places.hooks.of(receiver));
    await places.hooks.remove(meant.id, receiver);
    record(msg('hook {id} deleted: {name}', { id: meant.id, name: meant.name }));
    return meant;
  });
  return {
    title: msg('Hook deleted'),
    summary: msg('“{name}” takes nothing any more, and its alerts end.', { name: hook.name }),
  };
}

/** How many hooks get a button: a message has room for 25 buttons, but nobody reads so many. */
const maxButtons = 10;

function list(hooks: readonly Hook[]): Card {
  if (hooks.length === 0)
    return {
      title: msg('Hooks of this chat'),
      summary: msg('None yet. Create one: {example}.', {
        example: typed('hook create breakouts', 'hook create name:breakouts'),
      }),
    };
  return {
    title: msg('Hooks of this chat'),
    table: {
      columns: [msg('Id'), msg('Name'), msg('Address'), msg('Lasts')],
      rows: hooks.map((hook) => [
        hook.id,
        hook.name,
        addressOf(hook),
        hook.lasts === null ? msg('as usual') : span(hook.lasts),
      ]),
    },
    actions: hooks
      .slice(0, maxButtons)
      .map(({ id }) => ({ label: msg('Show {id}', { id }), command: `hook show id=${id}` })),
  };
}
