import type { Receiver } from '../../alert/subscription.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { PageMembers } from '../../platforms/web/ports/members.ts';
import type { Store } from '../../store/ports.ts';
import type { Senders } from '../platforms.ts';

interface MembersOptions {
  readonly store: Pick<Store, 'receivers' | 'sessions'>;
  readonly senders: Pick<Senders, 'platforms'>;
}

/** Creates what the page is given for people who sign in by the platforms that are open now. */
export function createMembers({ store: { receivers, sessions }, senders }: MembersOptions): PageMembers {
  const formatOf = (name: string): Platform['addressFormat'] | undefined =>
    senders.platforms.find(({ platform }) => platform.name === name)?.platform.addressFormat;
  return {
    ways: () =>
      senders.platforms.flatMap(({ platform: { name, connecting }, outlet: { connection } }) =>
        connection.signIn === undefined
          ? []
          : [{ platform: name, title: connecting?.title ?? name, signIn: connection.signIn }],
      ),
    readPlace(text) {
      const [notifier = ''] = text.split(':');
      const format = formatOf(notifier);
      const address = format?.write === undefined ? undefined : format.read(text);
      return address && { notifier, address };
    },
    writePlace: ({ notifier, address }: Receiver) => formatOf(notifier)?.write?.(address) ?? '',
    has: receivers.has,
    likely: receivers.likely,
    sessions,
  };
}
