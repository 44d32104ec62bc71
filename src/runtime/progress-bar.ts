/** A bar in the last line of a terminal that stays intact while other lines are written to the terminal. */
export interface ProgressBar {
  /** @param share 0 to 1; at 1 the bar disappears */
  show(text: string, share: number): void;
  /**
   * Runs `write` with the bar removed and shows the bar again. Everything else that writes to the terminal must use
   * this.
   */
  around<Result>(write: () => Result): Result;
}

const cells = 30;
const erase = '\r\u001B[2K';

export function createProgressBar(terminal: { write(text: string): unknown }): ProgressBar {
  let line = '';
  return {
    show(text, share) {
      const full = Math.round(share * cells);
      const bar = '█'.repeat(full) + '░'.repeat(cells - full);
      line = share >= 1 ? '' : `${text} ${bar} ${Math.floor(share * 100)} %`;
      terminal.write(`${erase}${line}`);
    },
    around(write) {
      if (line !== '') terminal.write(erase);
      try {
        return write();
      } finally {
        if (line !== '') terminal.write(line);
      }
    },
  };
}
