import type { Ports } from '../ports.ts';

/** What is needed to answer messages. */
export type TalkPorts = Pick<
  Ports,
  'ask' | 'commands' | 'complete' | 'log' | 'pictures' | 'places' | 'reader' | 'steady' | 'universe' | 'wall'
>;

/** What is needed to receive and answer messages. */
export type TelegramPorts = TalkPorts &
  Pick<Ports, 'holdsRole' | 'image' | 'pace' | 'page' | 'reportTokenRefused' | 'reportTokenAccepted'>;
