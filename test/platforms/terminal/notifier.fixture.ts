import type { NotifierFixture } from '../fixture.ts';

const terminal = { columns: 80, color: false, timeZone: 'UTC' };

export default {
  options: {},
  secrets: [],
  shown: [[{}, {}]],
  refused: [{ room: 'main' }],
  async open() {
    const texts: string[] = [];
    const write = async (text: string) => void texts.push(text);
    const ports = { terminal: { ...terminal, write } };
    return { ports, address: {}, received: () => texts, close: async () => undefined };
  },
  failures: [
    {
      name: 'the terminal is closed',
      expected: { kind: 'unavailable', accepted: 'no' },
      async arrange() {
        const write = () => Promise.reject(new Error('EPIPE'));
        const ports = { terminal: { ...terminal, write } };
        return { ports, address: {}, close: async () => undefined };
      },
    },
  ],
} satisfies NotifierFixture;
