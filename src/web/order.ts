import { signal } from '@preact/signals';
import type { CardJson } from '../card/render-json.ts';
import { messageOf, runLine } from './api.ts';
import { newId } from './chat.tsx';
import { refresh } from './draft.ts';
import { room } from './room.ts';

/** Outcome of the last command that was sent from a view; its answer is also in the chat. */
export const outcome = signal<Pick<CardJson, 'title' | 'summary' | 'actions'> | undefined>(undefined);
export const busy = signal(false);

/** Runs a command as if it had been typed, without leaving the view. Returns whether it was done. */
export async function runCommand(line: string): Promise<boolean> {
  busy.value = true;
  try {
    const { card, refused } = await runLine({ id: newId(), line, room });
    outcome.value = card;
    // The command is done even if the view cannot be read again now.
    await refresh().catch(() => {});
    return refused !== true;
  } catch (error) {
    outcome.value = { title: messageOf(error) };
    return false;
  } finally {
    busy.value = false;
  }
}
