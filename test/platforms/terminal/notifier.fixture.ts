import type { ConsolePorts } from '#src/platforms/terminal/notifier.ts';
import type { NotifierFixture } from '../fixture.ts';

const terminal = { columns: 80, color: false };

export default {
  options: {},
  secrets: [],
  refused: [{ room: 'main' }],
  async open() {
    const texts: string[] = [];
    const ports: ConsolePorts = { terminal: { ...terminal, write: async (text) => void texts.push(text) } };
    return { ports, address: {}, received: () => texts, close: async () => undefined };
  },
  failures: [
    {
      name: 'the terminal is closed',
      expected: { kind: 'unavailable', accepted: 'no' },
      async arrange() {
        const write = () => Promise.reject(new Error('EPIPE'));
        const ports: ConsolePorts = { terminal: { ...terminal, write } };
        return { ports, address: {}, close: async () => undefined };
      },
    },
  ],
} satisfies NotifierFixture;
