import { describe, expect, it } from 'vitest';
import { createLog } from '#src/runtime/log.ts';
import { createProgressBar } from '#src/runtime/progress-bar.ts';

/** Simulates a terminal: the last line, and the lines above it. */
function terminal() {
  let shown = '';
  return {
    write(text: string) {
      for (const [index, part] of text.split('\r\u001B[2K').entries()) {
        if (index > 0) shown = shown.slice(0, shown.lastIndexOf('\n') + 1);
        shown += part;
      }
      return true;
    },
    lines: () => shown.split('\n'),
  };
}

describe('a progress bar', () => {
  it('stays in the last line, whatever else is written, and disappears at the end', () => {
    const { write, lines } = terminal();
    const bar = createProgressBar({ write });
    bar.show('loading', 0.5);
    bar.around(() => write('an alert\n'));
    expect(lines()).toEqual(['an alert', `loading ${'█'.repeat(15)}${'░'.repeat(15)} 50 %`]);
    bar.show('loading', 1);
    bar.around(() => write('another\n'));
    expect(lines()).toEqual(['an alert', 'another', '']);
  });

  it('shows the progress in the log’s lines, and its end as a line', () => {
    const { write, lines } = terminal();
    const bar = createProgressBar({ write });
    const log = createLog({
      level: 'info',
      pretty: false,
      destination: { write } as unknown as NodeJS.WritableStream,
      bar,
    });
    log.info({ progress: 0.25 }, 'loading history');
    log.info('something else');
    expect(lines()).toEqual([
      expect.stringContaining('something else'),
      expect.stringMatching(/^loading history .* 25 %$/),
    ]);
    log.info({ progress: 1 }, 'history is loaded');
    expect(lines().slice(1)).toEqual([expect.stringContaining('history is loaded'), '']);
  });
});
