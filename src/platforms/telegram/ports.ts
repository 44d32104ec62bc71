import type { Ports } from '../ports.ts';

/** What is needed to answer what is said. */
export type TalkPorts = Pick<
  Ports,
  'ask' | 'commands' | 'complete' | 'log' | 'places' | 'reader' | 'steady' | 'universe' | 'wall'
>;

/** What is needed besides to hear it. */
export type TelegramPorts = TalkPorts & Pick<Ports, 'image' | 'pace' | 'refused' | 'asking'>;
