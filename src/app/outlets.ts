import type { Text } from '../language/text.ts';
import { createPace } from '../pace/pace.ts';
import type { Outlet } from '../pipeline/delivery.ts';
import type { WallClock } from '../runtime/clock.ts';
import type { Config } from './config.ts';

/** The notifiers in use, each with its pace; `ports` are what any of them may need. */
export const openOutlets = (
  { notifiers }: Pick<Config, 'notifiers'>,
  ports: { readonly clock: WallClock; refused(platform: string, reason: Text): void },
): readonly Outlet[] =>
  notifiers.map(({ notifier, options }) => {
    const pace = createPace(notifier.limits, ports.clock);
    const { concurrency, sharedBy } = notifier.limits;
    return {
      name: notifier.name,
      connection: notifier.connect(options, {
        ...ports,
        pace,
        refused: (reason: Text) => ports.refused(notifier.name, reason),
      }),
      concurrency,
      pace,
      ...(sharedBy !== undefined && { sharedBy }),
      ...(notifier.machine !== undefined && { machine: notifier.machine }),
    };
  });
