import type { Post, WebPorts } from '#src/platforms/web/notifier.ts';
import type { NotifierFixture } from '../fixture.ts';

const address = { room: 'main' };

export default {
  options: {},
  secrets: [],
  refused: [{}, { room: '' }, { room: '../x' }, { room: 'x'.repeat(41) }, { room: 7 }],
  async open() {
    const posts: Post[] = [];
    const ports: WebPorts = { web: { publish: async (post) => void posts.push(post) } };
    return {
      ports,
      address,
      received: () => posts.map((post) => JSON.stringify(post)),
      close: async () => undefined,
    };
  },
  failures: [
    {
      name: 'the store refuses the message',
      expected: { kind: 'unavailable', accepted: 'no' },
      async arrange() {
        const ports: WebPorts = { web: { publish: () => Promise.reject(new Error('disk full')) } };
        return { ports, address, close: async () => undefined };
      },
    },
  ],
} satisfies NotifierFixture;
