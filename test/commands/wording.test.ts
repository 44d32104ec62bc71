import { expect, it } from 'vitest';
import { thresholdOf } from '#src/app/kinds.ts';
import { plainReader, say } from '#src/language/say.ts';
import { nextInputQuestion } from '#src/platforms/telegram/input-questions.ts';
import { renderText } from '#src/platforms/terminal/render.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour } from '#src/runtime/units.ts';
import { completeLine } from '#src/shell/complete.ts';
import { memberRights } from '#src/shell/rights.ts';
import { delivery, firing } from '#test/support/alerts.ts';
import { ask, caller, commandContext, commands } from '#test/support/commands.ts';
import { dataClient, now } from '#test/support/data.ts';
import { detectors } from '#test/support/detectors.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const detector = (name: string) => {
  const found = detectors.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no detector ${name}`);
  return found;
};
const sampleOf = (name: string): string => {
  const { title, summary = '', facts } = detector(name).sample?.(now).annotations ?? { title: '', facts: [] };
  const lines = facts.map((fact) => `${say(fact.name, plainReader)}: ${say(fact.value, plainReader)}`);
  return [say(title, plainReader), say(summary, plainReader), ...lines].join('\n');
};

type Over = Parameters<typeof ask>[1];
const answered = async (line: string, over: Over = {}) =>
  renderText(await ask(line, { store: memoryStore(), ...over }), { columns: 400 });

const thing = [{ id: 'a1', about: 'Extreme funding for BTC' }];
const own = { subscription: thing, silence: thing, rule: thing, hook: thing, board: thing };

/** Returns what Telegram asks after a command without inputs, with its buttons. */
async function asked(line: string, step = 0): Promise<string> {
  const [name] = line.split(' ');
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new Error(`no command ${name}`);
  const question = await nextInputQuestion(command, {
    step,
    line,
    caller,
    complete: async (typed) => completeLine(typed, { context: { ...commandContext(), own } }),
    reader: async () => plainReader,
  });
  const buttons = question?.keyboard.flat().map(({ text }) => `(${text})`) ?? [];
  return [question?.card.title, question?.card.summary, ...buttons].join(' ');
}

const down = (reason: ConstructorParameters<typeof ApiError>[1]) => ({
  data: dataClient({ marketOverview: new ApiError('/market/overview', reason, 'refused') }),
});
const gone = {
  store: memoryStore({ alerts: [firing({ symbol: 'MERIDIANUSDT' })] }),
  data: dataClient({ intelligence: new ApiError('/coin', 'invalid_request', 'unknown symbol') }),
};
const create = 'alert create when="funding.z > 2.5 && oi.ratePct > 1" btc';
const delivered = (labels: object) => {
  const alert = { ...firing({ symbol: 'BTCUSDT' }), labels: { kind: 'data-blind', ...labels } };
  const { receiver } = caller;
  const deliveries = [delivery({ at: now - hour, alertId: alert.id, alert, receiver })];
  return memoryStore({ alerts: [alert], deliveries });
};

it.each<[now: string | RegExp, better: string | RegExp, said: () => Promise<string> | string]>([
  ['Alerts here', 'Standard alerts (4 kinds), all markets', () => answered('subscribe')],
  [
    /no answer|Asked for|Newest/,
    'Market data is unavailable right now',
    () => answered('market', down('unreachable')),
  ],
  ['\n/market', 'Last update 3 min ago.', () => answered('market', down('unreachable'))],
  ['refused the question', 'MERIDIAN is no longer traded', () => answered('coin meridianusdt', gone)],
  [
    'changes the settings',
    'Only those who manage this chat can see the change log.',
    () => answered('audit', { caller: { ...caller, rights: memberRights } }),
  ],
  [/Kinds of alerts|Choose, or type|Skip/, 'Which alerts?', () => asked('subscribe')],
  ['funding-extreme', '(Extreme funding)', () => asked('subscribe')],
  [/Skip kinds/, '(Standard)', () => asked('subscribe')],
  ['Its id', 'Which subscription?', () => asked('edit')],
  [
    /Lowest severity|\(info\)/,
    'From which level on? (All) (Warning and above) (Critical only)',
    () => asked('subscribe', 2),
  ],
  [/Interruptions|at most/, 'Max 8 posts a day, the rest as a daily summary', () => answered('subscribe')],
  [/From severity|From info/, /Level\s+warning and above/, () => answered('subscribe')],
  ['Taker buys', /Takers bought\s+51\.0% \(last hour\)/, () => answered('cvd btc')],
  [
    /confirm|cooldown/,
    'two checks in a row; at most one every 6 h',
    () =>
      say(
        thresholdOf(detector('data-quality'), detector('data-quality').options.parse({})) ?? '',
        plainReader,
      ),
  ],
  [/Detector/, /Seen/, () => answered('why', { store: delivered({ detector: 'oi-momentum' }) })],
  [/not \(/, /either falls below 2\.25 \/ 0\.5%/, () => answered(create)],
  [
    /checked;|not checked now/,
    'markets not checked yet)',
    () => answered('alert create cvd.buyPct above=99 all'),
  ],
  [
    'Ends without a repetition',
    /Expires {3}1 h after the last signal/,
    async () => {
      const store = memoryStore();
      await answered('hook create breakouts for=1h', { store });
      return answered('hook show breakouts', { store });
    },
  ],
  [/p\(|Label|Multiplier/, 'Risk-on 18% · Risk-off 65%', () => sampleOf('regime-transition')],
  [/Dearest|Cheapest/, /Short\s+Long/, () => answered('venues')],
])('instead of %s it says %s', async (before, better, said) => {
  const text = await said();
  if (typeof better === 'string') expect(text).toContain(better);
  else expect(text).toMatch(better);
  if (typeof before === 'string') expect(text).not.toContain(before);
  else expect(text).not.toMatch(before);
});

it('no question of Telegram is a description of an input', async () => {
  for (const command of commands)
    for (let step = 0; step < 10; step += 1) {
      const text = await asked(command.name, step);
      expect(text.split('(')[0], `${command.name} ${step}`).not.toMatch(/default|e\.g\.|, as /);
    }
});

it('a place that programs read is promised no budget, and can choose none', async () => {
  const over = { readByPrograms: true, store: memoryStore() };
  expect(await answered('subscribe', over)).not.toMatch(/posts a day|daily summary/);
  expect(await answered('settings', over)).not.toContain('posts a day');
  expect(await answered('settings budget=3', over)).toContain('Programs read what is posted here');
});
