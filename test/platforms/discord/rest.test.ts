import { pino } from 'pino';
import { expect, it } from 'vitest';
import { options } from '#src/platforms/discord/options.ts';
import { createRest, refusals } from '#src/platforms/discord/rest.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { limited } from '#test/support/discord/faults.ts';
import { notifierPorts } from '#test/support/ports.ts';

it('requests stop at half of the refusals that Discord bans for, until these expire; shared ones do not count', async () => {
  expect(refusals).toEqual({ max: 5_000, per: 10 * minute });
  const discord = await startDiscord();
  const { channel } = discord.addGuild();
  let now = hour;
  const said: string[] = [];
  const rest = createRest(
    options.parse({ token: discord.token, apiUrl: discord.url }),
    notifierPorts({
      steady: { now: () => now },
      log: pino({ level: 'error' }, { write: (line: string) => void said.push(line) }),
    }),
    { max: 20, per: 10 * minute },
  );
  const ask = () =>
    rest.ask({
      method: 'GET',
      path: `/channels/${channel.id}/messages`,
      place: 'x',
      signal: new AbortController().signal,
    });
  discord.inject({ answer: limited(0.001, 'shared'), times: 30 });
  for (let n = 0; n < 30; n++) await ask();
  discord.inject({ answer: limited(0.001), times: 20 });
  for (let n = 0; n < 20; n++) await ask();
  expect(discord.requests).toHaveLength(50);
  now += minute;
  expect(await ask()).toMatchObject({ ok: false, outcome: { kind: 'rate_limited', retryAfter: 9 * minute } });
  expect(discord.requests).toHaveLength(50);
  expect(said).toHaveLength(1);
  now += 9 * minute;
  expect(await ask()).toMatchObject({ ok: true });
  await rest.close();
  await discord.close();
});
