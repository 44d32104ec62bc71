import { expect, it } from 'vitest';
import { ruleForm } from '#src/commands/kit/rule-form.ts';

it.each([
  ['above', '100k', { metric: 'price.last', above: '100k' }],
  ['below', '-0.1', { metric: 'price.last', below: '-0.1' }],
  ['crosses above', '100k', { when: 'price.last crosses above 100000' }],
  ['crosses below', '-0.1', { when: 'price.last crosses below -0.1' }],
])('a level that is to be %s is asked for and shown again as it was given', (side, level, expected) => {
  const given = { metric: 'price.last', side, level, symbols: 'btc', often: 'once' };
  const inputs = ruleForm.toInputs(given);
  expect(inputs).toEqual({ ...expected, symbols: 'btc', mode: 'once' });
  const again = ruleForm.toAnswers(inputs);
  expect(ruleForm.toInputs(again)).toEqual(inputs);
  expect(again).toMatchObject({ metric: 'price.last', side });
});
