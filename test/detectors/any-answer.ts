import fc from 'fast-check';
import { z } from 'zod';
import type { DataClient } from '#src/contract/data-client.ts';
import { contract, type EndpointName } from '#src/contract/index.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * Draws values of a contract schema as a service may send them, with few symbols so that they recur, and with unknown labels.
 */
function anyValue(schema: Schema): fc.Arbitrary<unknown> {
  const { type, enum: allowed, examples, maximum, items, properties = {}, anyOf } = schema;
  const { exclusiveMinimum: above } = schema;
  const minExcluded = typeof above === 'number';
  const minimum = minExcluded ? above : schema.minimum;
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((option) => anyValue(option as Schema)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (allowed !== undefined) return fc.constantFrom(...allowed);
  if (Array.isArray(examples)) return fc.constantFrom(...examples, ...examples, 'UNHEARD_OF');
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Math.max(0, minimum ?? 0), max: Math.min(1_000, maximum ?? 1_000) });
    case 'number':
      return fc.oneof(
        fc.double({
          min: Math.max(minimum ?? -5, -5),
          max: Math.min(maximum ?? 5, 5),
          noNaN: true,
          minExcluded,
        }),
        fc.double({ min: minimum ?? -1e12, max: maximum ?? 1e12, noNaN: true, minExcluded }),
      );
    case 'string':
      if (schema.format === 'date-time') {
        const ago = [0, 0, 0, minute, 5 * minute, hour, 8 * hour, day, -hour];
        return fc.constantFrom(...ago).map((ms) => `ago:${ms}`);
      }
      if (schema.format === 'uri' || schema.pattern?.startsWith('^https:') === true)
        return fc.constant('https://example.com/');
      if (schema.pattern?.startsWith('^-?\\d') === true)
        return fc.constantFrom('0', '1.5', '-0.0003', '64000.10');
      if (schema.pattern?.startsWith('^(?=.*[1-9])\\d') === true)
        return fc.constantFrom('0.0003', '1.5', '64000.10');
      return fc.constantFrom('BTCUSDT', 'ETHUSDT', 'SOLUSDT');
    case 'array':
      return fc.array(anyValue((items ?? {}) as Schema), { maxLength: 6 });
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(properties).map(([name, field]) => [name, anyValue(field as Schema)]),
        ),
        { requiredKeys: schema.required ?? [] },
      );
    default:
      return fc.constant('anything');
  }
}

const arbitraries = new Map(
  Object.entries(contract).map(([name, { answer }]) => {
    const any = anyValue(z.toJSONSchema(answer, { io: 'input' }) as Schema);
    return [name, () => any] as const;
  }),
);

const endpoints = Object.keys(contract) as EndpointName[];

/**
 * Turns the `ago:ms` texts of a drawn answer's JSON into times. That it was JSON leaves no undefined and no −0, as at a service.
 */
const asSent = (name: EndpointName, json: string, now: number): unknown => {
  const sent = json.replaceAll(/"ago:(-?\d+)"/g, (_, ms) => `"${iso(now - Number(ms))}"`);
  return contract[name].answer.parse(JSON.parse(sent));
};

/** Draws any answer that the contract allows, with times as `ago:ms`. */
export const anyAnswer = (draw: fc.GeneratorValue, name: EndpointName): unknown => {
  const any = arbitraries.get(name);
  if (any === undefined) throw new Error(`no answers of ${name}`);
  return draw(any);
};

const service = (answer: (name: EndpointName) => unknown): DataClient =>
  Object.fromEntries(endpoints.map((name) => [name, async () => answer(name)])) as unknown as DataClient;

/** Creates a service that gives any answer the contract allows, drawn at each request, with times around `now`. */
export const anyService = (draw: fc.GeneratorValue, now: number): DataClient =>
  service((name) => asSent(name, JSON.stringify(anyAnswer(draw, name)), now));

/**
 * Creates a service whose answers are drawn once. Each number that is not whole is multiplied by `factor`, and the times move
 * with `now`.
 */
export function scaledService(draw: fc.GeneratorValue): (now: number, factor: number) => DataClient {
  const drawn = new Map<EndpointName, string>();
  /** Scaled answers by endpoint and factor: a market is asked many times with the same factors. */
  const kept = new Map<string, string>();
  return (now, factor) => {
    const scaled = (value: unknown): unknown => {
      if (typeof value === 'number' && !Number.isInteger(value)) return value * factor;
      if (typeof value === 'string' && /^-?\d+\.\d+$/.test(value)) return (Number(value) * factor).toFixed(8);
      return value;
    };
    return service((name) => {
      const answer = drawn.get(name) ?? JSON.stringify(anyAnswer(draw, name));
      drawn.set(name, answer);
      const id = `${name} ${factor}`;
      const json = kept.get(id) ?? JSON.stringify(JSON.parse(answer, (_, value: unknown) => scaled(value)));
      kept.set(id, json);
      return asSent(name, json, now);
    });
  };
}
