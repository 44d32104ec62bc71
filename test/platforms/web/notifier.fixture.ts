import { memoryMessages } from '#test/support/messages.ts';
import type { NotifierFixture } from '../fixture.ts';

const address = { room: 'main' };

export default {
  options: {},
  secrets: [],
  shown: [[{ room: 'main' }, { room: 'main' }]],
  refused: [{}, { room: '' }, { room: '../x' }, { room: 'x'.repeat(41) }, { room: 7 }],
  async open() {
    const messages = memoryMessages();
    const posts: string[] = [];
    messages.onPut((_, body) => void posts.push(body));
    const ports = { messages };
    return {
      ports,
      address,
      received: () => posts,
      close: async () => undefined,
    };
  },
  failures: [
    {
      name: 'the store refuses the message',
      expected: { kind: 'unavailable', accepted: 'no' },
      async arrange() {
        const put = () => Promise.reject(new Error('disk full'));
        return { ports: { messages: { ...memoryMessages(), put } }, address, close: async () => undefined };
      },
    },
  ],
} satisfies NotifierFixture;
