import type { Reporter, TestModule } from 'vitest/node';

/** Prints one line at the end of a run: which tests were skipped and why. */
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const why = reason(module, test.fullName);
        counts.set(why, (counts.get(why) ?? 0) + 1);
      }
    }
    const reasons = [...counts].map(([why, count]) => `${count} ${why}`);
    process.stdout.write(`Skipped: ${reasons.length === 0 ? 'nothing' : reasons.join('; ')}.\n`);
  }
}

function reason(module: TestModule, name: string): string {
  const need = /\[needs ([^\]]+)\]/.exec(name)?.[1];
  if (need !== undefined) return `without ${need}`;
  // A failed hook makes vitest skip the tests of its file.
  return module.ok()
    ? `not chosen in ${module.relativeModuleId}`
    : `because ${module.relativeModuleId} failed`;
}
