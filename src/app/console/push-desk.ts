import type { Receiver } from '../../alert/subscription.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import {
  createSubscription,
  editSubscription,
  endSubscriptions,
  wishOf,
} from '../../places/subscriptions.ts';
import { keySetting, newKey, publicKey } from '../../platforms/push/vapid.ts';
import type { PushDesk, PushPlace } from '../../platforms/web/ports/push-desk.ts';
import { editingOf } from '../../shell/editing.ts';
import type { Store } from '../../store/ports.ts';
import type { Answering } from '../answer-commands.ts';
import type { UsedPlatform } from '../config/config.ts';
import { asManagerOf } from './own-places.ts';

interface PushDeskOptions extends Pick<Answering, 'contextOf'> {
  readonly used: readonly UsedPlatform[];
  readonly store: Pick<Store, 'settings' | 'subscriptions'>;
}

/** Creates what the page does for notifications in its visitor's browser, which is a place of the visitor's own. */
export function createPushDesk({ used, store, contextOf }: PushDeskOptions): PushDesk {
  const platform = used.find(({ platform: { name } }) => name === 'push')?.platform;
  const receiverOf = (place: PushPlace): Receiver => {
    const parsed = platform?.address.safeParse(place);
    if (platform === undefined || parsed?.success !== true)
      throw new UserError(msg('This browser cannot be notified.'), { code: 'invalid' });
    return { notifier: platform.name, address: parsed.data as Receiver['address'] };
  };
  return {
    key: async () =>
      platform === undefined ? undefined : publicKey(await store.settings.keep(keySetting, newKey())),
    async begin(place, { preset, caller }) {
      const receiver = receiverOf(place);
      const context = await contextOf(asManagerOf(receiver, caller));
      const editing = editingOf(context);
      const wish = wishOf({ preset, symbols: ['*'] }, context.kinds, context.caller);
      const [before] = await store.subscriptions.of(receiver);
      if (before === undefined) await createSubscription(wish, editing, { spoken: context.caller.language });
      else await editSubscription(before.id, () => ({ ...wish.matcher, ...wish.preferences }), editing);
    },
    async end(place, caller) {
      const receiver = receiverOf(place);
      if ((await store.subscriptions.of(receiver)).length > 0)
        await endSubscriptions('all', editingOf(await contextOf(asManagerOf(receiver, caller))));
    },
  };
}
