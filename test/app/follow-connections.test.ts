import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { GivenOptions } from '#src/app/config/connections.ts';
import { followConnections } from '#src/app/follow-connections.ts';
import { plainReader, say } from '#src/language/say.ts';
import { ConfigError } from '#src/runtime/errors.ts';
import { second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';

type Step = 'read' | 'open' | 'serve' | 'talk';
const platform = (name: string) => ({ name, options: z.strictObject({ token: z.string().min(3) }) }) as never;

/** Follows the connections of two platforms; `failing` steps throw, of the pigeon only where a platform has a step. */
function setUp() {
  const wall = fakeClock();
  const failing = new Map<Step, unknown>();
  const kept: Record<string, GivenOptions> = { pigeon: { token: 'coo' }, dove: { token: 'coo coo' } };
  const open = { platforms: [] as { platform: { name: string }; outlet: { name: string } }[] };
  const served = new Set<string>();
  const talking = new Set<string>();
  const fail = (step: Step, name = 'pigeon') => {
    if (failing.has(step) && name === 'pigeon') throw failing.get(step);
  };
  const following = followConnections({
    connections: {
      async read() {
        fail('read');
        return { given: { ...kept }, isUnreadable: () => false };
      },
      put: () => Promise.reject(),
    },
    connectable: ['pigeon', 'dove'].map((name) => ({ platform: platform(name), given: {} })),
    senders: {
      platforms: open.platforms,
      readiness: { refusals: new Map() },
      open({ platform: { name } }: { platform: { name: string } }) {
        fail('open', name);
        const opened = { platform: { name }, outlet: { name } };
        open.platforms.push(opened);
        return opened;
      },
      async end(name: string) {
        const at = open.platforms.findIndex((each) => each.platform.name === name);
        if (at >= 0) open.platforms.splice(at, 1);
      },
    } as never,
    wall,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => following.close());
  const start = () =>
    following.start({
      async open({ platform: { name } }) {
        fail('talk', name);
        talking.add(name);
      },
      end: async (name) => void talking.delete(name),
      whereabouts: async () => undefined,
    });
  const deliver = () =>
    following.deliverBy({
      async serve({ name }) {
        fail('serve', name);
        served.add(name);
      },
      dismiss: async (name) => void served.delete(name),
    });
  return {
    ...{ wall, failing, kept, following, start, deliver },
    state: () => ({
      open: open.platforms.map(({ outlet }) => outlet.name).sort(),
      served: [...served].sort(),
      talking: [...talking].sort(),
    }),
    problem: () => {
      const text = following.problemOf('pigeon');
      return text && say(text, plainReader);
    },
  };
}

const all = ['dove', 'pigeon'];
const faults = [
  ['a defect of our own', new TypeError('x is not a function'), /log says why/],
  ['a port that is taken', new ConfigError(['port 80 is in use']), /port 80/],
] as const;

it.each(
  (['open', 'serve', 'talk'] as const).flatMap((step) =>
    faults.map(([what, error, said]) => [step, what, error, said] as const),
  ),
)(
  'a connected platform that fails at “%s” (%s) is that platform’s problem, and is tried again',
  async (step, _, error, said) => {
    const { wall, failing, start, deliver, state, problem } = setUp();
    failing.set(step, error);
    await start();
    await deliver();
    expect(problem()).toMatch(said);
    const others = step === 'talk' ? all : ['dove'];
    expect(state()).toEqual({ open: others, served: others, talking: ['dove'] });
    failing.clear();
    await wall.advance(10 * second);
    await expect.poll(problem).toBeUndefined();
    expect(state()).toEqual({ open: all, served: all, talking: all });
  },
);

it('what was kept is not reported as failed because the platform cannot be opened or the place not be read', async () => {
  for (const step of ['read', 'open', 'serve', 'talk'] as const) {
    const { failing, kept, start, deliver, following } = setUp();
    delete kept.pigeon;
    await start();
    await deliver();
    const work = async () => {
      kept.pigeon = { token: 'coo' };
      failing.set(step, new TypeError('x is not a function'));
    };
    await expect(following.change(work)).resolves.toBeUndefined();
  }
});

it('connections that cannot be read end no start, and are opened once they can be', async () => {
  const { wall, failing, start, state } = setUp();
  failing.set('read', new Error('the disk is gone'));
  await start();
  expect(state().open).toEqual([]);
  failing.clear();
  await wall.advance(10 * second);
  await expect.poll(() => state().talking).toEqual(all);
});

it('options that are no longer valid are the platform’s problem', async () => {
  const { kept, start, state, problem } = setUp();
  kept.pigeon = { token: 'x' };
  await start();
  expect([problem(), state().open]).toEqual([expect.stringMatching(/token/), ['dove']]);
});
