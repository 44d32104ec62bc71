import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath, platform } from 'node:process';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '#src/runtime/errors.ts';
import { isDead, owner } from '#src/runtime/owner.ts';
import { type HeldRole, keepRole, type Lease, type Leases, type RoleOptions } from '#src/runtime/role.ts';
import { minute, second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';

/** Leases with the keeper's own clock. */
function keeper(now: () => number) {
  const kept = new Map<string, { token: number; until: number; owner?: string }>();
  let reachable = true;
  const ask = () => {
    if (!reachable) throw new Error('the database is away');
  };
  const leases: Leases = {
    async take(role, { owner: by, ttl }) {
      ask();
      const { token = 0, until = 0 } = kept.get(role) ?? {};
      if (until > now()) return null;
      kept.set(role, { token: token + 1, until: now() + ttl, owner: by });
      return { role, token: token + 1 };
    },
    async renew({ role, token }, ttl) {
      ask();
      const lease = kept.get(role);
      if (lease?.token !== token) return false;
      lease.until = now() + ttl;
      return true;
    },
    async owner(role) {
      ask();
      return kept.get(role)?.owner;
    },
    async release({ role, token }: Lease) {
      const lease = kept.get(role);
      if (lease?.token === token) lease.until = 0;
    },
  };
  const reach = (now: boolean) => {
    reachable = now;
  };
  return { leases, kept, reach };
}

async function fixture() {
  const clock = fakeClock(1_000_000);
  const { leases, kept, reach } = keeper(() => clock.now());
  const lines: string[] = [];
  const process = async (
    name: string,
    {
      whenStarted,
      ...given
    }: Partial<Pick<RoleOptions, 'leases' | 'wall' | 'log'> & { whenStarted: () => void }> = {},
  ) => {
    const running: { tenure?: HeldRole | undefined } = {};
    const start = (tenure: HeldRole) => {
      whenStarted?.();
      running.tenure = tenure;
      lines.push(`${name} starts`);
      return {
        async stop() {
          running.tenure = undefined;
          lines.push(`${name} stops`);
        },
      };
    };
    const log = pino({ level: 'silent' });
    const part = await keepRole('watch', { leases, wall: clock, steady: clock, log, ...given }, start);
    onTestFinished(() => part.stop());
    return { part, running };
  };
  return { clock, kept, lines, process, leases, reach };
}

it('one process has the role, and another one when the first ends', async () => {
  const { clock, lines, process } = await fixture();
  const { part } = await process('a');
  await process('b');
  await clock.advance(60 * second);
  expect(lines).toEqual(['a starts']);
  await part.stop();
  await clock.advance(2 * second);
  expect(lines).toEqual(['a starts', 'a stops', 'b starts']);
});

it('another process has the role within 10 s after its holder’s death', async () => {
  const { clock, lines, process, leases } = await fixture();
  await leases.take('watch', { owner: 'dead', ttl: 8 * second });
  await process('b');
  expect(lines).toEqual([]);
  await clock.advance(10 * second);
  expect(lines).toEqual(['b starts']);
});

it('a holder that cannot renew begins nothing once another may have the role, and ends if another has it', async () => {
  const { clock, kept, lines, process, reach } = await fixture();
  const { running } = await process('a');
  expect(running.tenure?.isHeld()).toBe(true);
  reach(false);
  await clock.advance(7 * second);
  expect(running.tenure?.isHeld()).toBe(true);
  await clock.advance(2 * second);
  expect(running.tenure?.isHeld()).toBe(false);
  expect(lines).toEqual(['a starts']);
  kept.set('watch', { token: 2, until: clock.now() + 20 * second });
  reach(true);
  await clock.advance(3 * second);
  expect(lines).toEqual(['a starts', 'a stops']);
  await clock.advance(30 * second);
  expect(lines).toEqual(['a starts', 'a stops', 'a starts']);
  expect(running.tenure?.lease.token).toBe(3);
});

it('a holder whose machine has slept begins nothing until it has renewed, and one whose clock is set back goes on', async () => {
  const { clock, lines, process } = await fixture();
  let ahead = 0;
  const { running } = await process('a', { wall: { ...clock, now: () => clock.now() + ahead } });
  for (const [jump, isHeld] of [
    [minute, false],
    [-minute, true],
  ] as const) {
    ahead += jump;
    expect(running.tenure?.isHeld()).toBe(isHeld);
    await clock.advance(3 * second);
    expect(running.tenure?.isHeld()).toBe(true);
  }
  expect(lines).toEqual(['a starts']);
});

it('a holder that was cut off for long continues if no other has taken the role', async () => {
  const { clock, lines, process, reach } = await fixture();
  const { running } = await process('a');
  reach(false);
  await clock.advance(125 * second);
  reach(true);
  await clock.advance(3 * second);
  expect([lines, running.tenure?.isHeld()]).toEqual([['a starts'], true]);
});

it('tells once that the database is lost, and once that it is back, however long that took', async () => {
  const told: string[] = [];
  const log = pino(
    { level: 'info', base: null, timestamp: false },
    { write: (line) => void told.push(`${JSON.parse(line).level} ${JSON.parse(line).msg}`) },
  );
  const { clock, process, reach } = await fixture();
  await process('a', { log });
  for (let times = 0; times < 2; times += 1) {
    reach(false);
    await clock.advance(minute);
    reach(true);
    await clock.advance(minute);
  }
  const both = ['50 could not take or renew a role; retrying', '30 the role could be taken or renewed again'];
  expect(told).toEqual([...both, ...both]);
});

it('begins nothing in the last sixteenth of its lease, so that a request is sent by its end', async () => {
  const { clock, process, reach } = await fixture();
  const { running } = await process('a');
  reach(false);
  await clock.advance(7.4 * second);
  expect(running.tenure?.isHeld()).toBe(true);
  await clock.advance(0.2 * second);
  expect(running.tenure?.isHeld()).toBe(false);
});

it('when the database is back, a holder that could not renew precedes those who waited', async () => {
  const { clock, kept, lines, process, reach } = await fixture();
  await process('a');
  await clock.advance(0.5 * second);
  await process('b');
  reach(false);
  // The waiting process is the first to ask.
  await clock.advance(19.7 * second);
  reach(true);
  await clock.advance(10 * second);
  expect(lines).toEqual(['a starts']);
  expect(kept.get('watch')?.token).toBe(1);
});

it('if the holder has died meanwhile, another has the role within 10 s after the database is back', async () => {
  const { clock, lines, process, leases, reach } = await fixture();
  await leases.take('watch', { owner: 'dead', ttl: 8 * second });
  await process('b');
  reach(false);
  await clock.advance(20 * second);
  reach(true);
  await clock.advance(10 * second);
  expect(lines).toEqual(['b starts']);
});

it('a part that fails to start leaves its role to others, and is tried again', async () => {
  const { clock, lines, process } = await fixture();
  let broken = true;
  await process('a', {
    whenStarted() {
      if (broken) throw new Error('not yet');
    },
  });
  expect(lines).toEqual([]);
  broken = false;
  await clock.advance(2 * second);
  expect(lines).toEqual(['a starts']);
  const refused = process('c', {
    leases: keeper(() => clock.now()).leases,
    whenStarted() {
      throw new ConfigError(['wrong']);
    },
  });
  await expect(refused).rejects.toThrow('wrong');
});

it('a stopping process keeps the role until its work has ended', async () => {
  const { clock, lines, process, leases } = await fixture();
  const ending = Promise.withResolvers<void>();
  const log = pino({ level: 'silent' });
  const stop = () => ending.promise;
  const part = await keepRole('watch', { leases, wall: clock, steady: clock, log }, () => ({ stop }));
  await process('b');
  const stopped = part.stop();
  await clock.advance(40 * second);
  expect(lines).toEqual([]);
  ending.resolve();
  await clock.advance(3 * second);
  await stopped;
  expect(lines).toEqual(['b starts']);
});

it.runIf(platform === 'linux')(
  'the role of a killed process on this machine is free at once, and that of a live one is not [needs Linux]',
  async () => {
    const [, , ...place] = owner.split(' ');
    const child = spawn(execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const named = ['elsewhere', child.pid, ...place].join(' ');
    expect([isDead(named), isDead(owner), isDead('elsewhere 1')]).toEqual([false, false, false]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isDead(named)).toBe(true);
    expect(isDead(['elsewhere', child.pid, 'another-boot', 'pid:[1]'].join(' '))).toBe(false);
  },
);
