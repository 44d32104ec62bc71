import { expect, it } from 'vitest';
import { createReadiness } from '#src/app/readiness.ts';

it('a platform is refused until it accepts its token, whatever another one does', () => {
  const { tokens, refusals, state } = createReadiness({ problem: () => null });
  tokens.refused('email', 'the password is wrong');
  tokens.refused('ntfy', 'the token is wrong');
  tokens.accepted('ntfy');
  tokens.accepted('telegram');
  expect([...refusals]).toEqual([['email', 'the password is wrong']]);
  expect(state().refusedPlatforms).toEqual(['email']);
  tokens.accepted('email');
  expect(state().refusedPlatforms).toEqual([]);
});
