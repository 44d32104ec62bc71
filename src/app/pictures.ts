import type { Draw } from '../card/picture.ts';
import { createChartRenderer, type RendererOptions } from '../chart/renderer.ts';
import { plainReader } from '../language/say.ts';

interface Pictures {
  readonly image: Draw;
  /** Prepares the renderer, so that the first picture does not take longer than others. */
  warm(): void;
  close(): Promise<void>;
}

/** Creates the pictures of charts for chats that cannot draw charts themselves, by their readers' preferences. */
export function createPictures(options: RendererOptions): Pictures {
  const renderer = createChartRenderer(options);
  return {
    close: () => renderer.close(),
    warm: () => void renderer.warm(),
    image: async ({ chart, reader = plainReader }) => {
      // Rich and plain messages have the same picture, so `messages` is left out and the picture is drawn once for both.
      const { messages: _, ...preferences } = reader;
      return chart && renderer.render(chart, { theme: 'dark', ...preferences });
    },
  };
}
