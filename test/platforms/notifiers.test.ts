import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeliveryError } from '#src/language/errors.ts';
import type { Notification } from '#src/platforms/notifier.ts';
import type { NotifierPorts } from '#src/platforms/ports.ts';
import { withSendCheck } from '#src/runtime/send-check.ts';
import { alertCard } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { platforms } from '#test/support/settings.ts';
import type { NotifierFixture } from './fixture.ts';

const notification: Notification = {
  id: 'n-000000000001',
  version: 'v1',
  card: alertCard,
  loud: true,
  doubt: false,
};
const never = new AbortController().signal;

const failureOf = async (attempt: Promise<unknown>): Promise<DeliveryError> => {
  const outcome = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(DeliveryError);
  return outcome as DeliveryError;
};

describe.each(platforms.map((platform) => [platform.name, platform] as const))(
  'notifier %s',
  (name, platform) => {
    const fixture = async (): Promise<NotifierFixture> =>
      (await import(`./${name}/notifier.fixture.ts`)).default;
    const connect = async (ports: Partial<NotifierPorts>) =>
      platform.notifier(platform.options.parse((await fixture()).options), notifierPorts(ports));

    it('has a pace that lets messages through', () => {
      const { concurrency, perAddress, total } = platform.limits;
      expect(concurrency).toBeGreaterThan(0);
      for (const pace of [...(perAddress ?? []), total ?? []].flat()) {
        expect(Math.min(pace.max, pace.per)).toBeGreaterThan(0);
      }
    });

    it('accepts its own address and refuses garbage', async () => {
      const { open, refused } = await fixture();
      const place = await open();
      expect(platform.address.safeParse(place.address).success).toBe(true);
      await place.close();
      const garbage = [undefined, null, 42, '', [], { unknown: 'field' }, { ...place.address, unknown: 1 }];
      for (const address of [...garbage, ...refused]) {
        expect(platform.address.safeParse(address).success, inspect(address)).toBe(false);
      }
      const noise = fc.dictionary(fc.string({ minLength: 1 }), fc.anything(), { minKeys: 1 });
      fc.assert(fc.property(noise, (address) => !platform.address.safeParse(address).success));
    });

    it('shows its address without its secrets, even for malformed stored addresses', async () => {
      const { shown } = await fixture();
      expect(shown).not.toEqual([]);
      for (const [address, expected] of shown) {
        expect(platform.address.safeParse(address).success, inspect(address)).toBe(true);
        expect(platform.shown(address)).toEqual(expected);
      }
      expect(() => platform.shown({ of: 'another version' })).not.toThrow();
    });

    it('posts once, and returns the same reference for a repeated notification if the platform is idempotent', async () => {
      const { open, idempotent = true } = await fixture();
      const place = await open();
      const connection = await connect(place.ports);
      const reference = await connection.send(notification, { address: place.address, signal: never });
      expect(reference).not.toBe('');
      expect(place.received().filter((text) => text.includes(alertCard.title))).toHaveLength(1);
      if (idempotent)
        expect(await connection.send(notification, { address: place.address, signal: never })).toBe(
          reference,
        );
      await connection.close?.();
      await place.close();
    });

    it('gives a reply a reference of its own, to which the next reply can refer', async () => {
      const { open } = await fixture();
      const place = await open();
      const connection = await connect(place.ports);
      const to = { address: place.address, signal: never };
      const first = await connection.send(notification, to);
      const second = await connection.send({ ...notification, id: 'n-2', replyTo: first }, to);
      const third = await connection.send({ ...notification, id: 'n-3', replyTo: second }, to);
      expect(new Set([first, second, third]).size).toBe(3);
      await connection.close?.();
      await place.close();
    });

    it('edits a post if it can, and says whether that makes a message of its own', async () => {
      const { open, idempotent = true } = await fixture();
      const place = await open();
      const connection = await connect(place.ports);
      const reference = await connection.send(notification, { address: place.address, signal: never });
      const over = { title: 'It is over', status: 'resolved' } as const;
      const resolved = { ...notification, card: { ...alertCard, ...over } };
      await connection.edit?.(reference, { notification: resolved, address: place.address, signal: never });
      if (connection.edit !== undefined) expect(place.received().at(-1)).toContain('It is over');
      const before = place.received().length;
      const posts = connection.editPosts?.(reference, resolved) === true;
      await connection.edit?.(reference, { notification: resolved, address: place.address, signal: never });
      if (!idempotent)
        expect(place.received().length - before, 'what it adds when done twice').toBe(posts ? 1 : 0);
      await connection.close?.();
      await place.close();
    });

    it('fails with a delivery error if sending was called off', async () => {
      const place = await (await fixture()).open();
      const connection = await connect(place.ports);
      const sending = connection.send(notification, {
        address: place.address,
        signal: AbortSignal.abort(new Error('stopping')),
      });
      expect((await failureOf(sending)).outcome.kind).toBe('unavailable');
      expect(place.received()).toEqual([]);
      await connection.close?.();
      await place.close();
    });

    it('writes nothing on a connection that was opened too late to send', async () => {
      const { open, overHttp = false } = await fixture();
      if (!overHttp) return;
      const place = await open();
      const connection = await connect(place.ports);
      // The role is lost after the request was begun: while the name is looked up and the connection is opened.
      let mayStillSend = true;
      const signal = withSendCheck(new AbortController().signal, () => {
        const may = mayStillSend;
        mayStillSend = false;
        return may;
      });
      const error = await failureOf(connection.send(notification, { address: place.address, signal }));
      expect(error.outcome).toEqual({ kind: 'unavailable', accepted: 'no' });
      expect(place.received()).toEqual([]);
      await connection.close?.();
      await place.close();
    });

    it('reports the right kind of failure for each case, and never a secret', async () => {
      const { failures, secrets, overHttp = false } = await fixture();
      const kinds = failures.map(({ expected }) => expected.kind);
      // A platform whose failures nobody has tried would pass this silently.
      expect(kinds).toContain('unavailable');
      if (overHttp) expect(kinds).toEqual(expect.arrayContaining(['rate_limited', 'rejected']));
      for (const { name: failure, expected, arrange } of failures) {
        const place = await arrange();
        const connection = await connect(place.ports);
        const error = await failureOf(
          connection.send(notification, { address: place.address, signal: never }),
        );
        expect(error.outcome, failure).toMatchObject(expected);
        const printed = inspect(error, { depth: 20 }) + JSON.stringify(error);
        for (const secret of secrets) expect(printed, failure).not.toContain(secret);
        await connection.close?.();
        await place.close();
      }
    });
  },
);
