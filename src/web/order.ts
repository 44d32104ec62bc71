import { signal } from '@preact/signals';
import type { CardJson } from '../card/render-json.ts';
import type { WebMessage } from '../platforms/web/message.ts';
import type { DraftRequest } from '../platforms/web/ports/rule-desk.ts';
import { messageOf, runLine, saveDraft } from './api.ts';
import { refresh } from './draft.ts';

/** Outcome of the last command that was sent from a view; its answer is also in the chat. */
export const outcome = signal<Pick<CardJson, 'title' | 'summary' | 'actions'> | undefined>(undefined);
export const busy = signal(false);

/** Runs a command as if it had been typed, without leaving the view. Returns whether it was done. */
export const runCommand = (line: string): Promise<boolean> => order(() => runLine(line));

/** Saves an alert as it is built, without leaving the view. Returns whether it was saved. */
export const save = (draft: DraftRequest): Promise<boolean> => order(() => saveDraft(draft));

async function order(begin: () => Promise<WebMessage>): Promise<boolean> {
  if (busy.value) return false;
  busy.value = true;
  try {
    const { card, refused } = await begin();
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
