import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

const made = () => mkdtemp(join(tmpdir(), 'tocsin-test-'));

/** Creates a folder for one test and removes it after the test. */
export async function ownFolder(): Promise<string> {
  const folder = await made();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a folder for all tests of a file and removes it after them. */
export async function sharedFolder(): Promise<string> {
  const folder = await made();
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
