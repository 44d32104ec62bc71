import type { Draw } from '../card/picture.ts';
import { createChartRenderer, type RendererOptions } from '../chart/renderer.ts';
import { plainReader } from '../language/say.ts';

export interface Pictures {
  readonly image: Draw;
  /** For the first who asks. */
  warm(): void;
  close(): Promise<void>;
}

/** Pictures of charts for chats that cannot draw, as their readers like them. */
export function createPictures(options: RendererOptions): Pictures {
  const renderer = createChartRenderer(options);
  return {
    close: () => renderer.close(),
    warm: () => void renderer.warm(),
    image: async ({ chart, reader = plainReader }) => {
      // The same picture goes with a rich message and a plain one, and is drawn once for both.
      const { messages: _, ...seeing } = reader;
      return chart && renderer.render(chart, { theme: 'dark', ...seeing });
    },
  };
}
