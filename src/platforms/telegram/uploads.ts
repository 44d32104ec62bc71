import { createHash } from 'node:crypto';
import type { BotApi } from './bot-api.ts';
import { message, type Reference, referenceOf } from './reference.ts';

/** Maximum number of pictures remembered by their content, so that one upload serves every chat of a broadcast. */
const filesKept = 200;

interface Upload {
  readonly method: string;
  readonly signal: AbortSignal;
  /** Builds the payload. `photo` is the name of the attachment, or the file id of a picture that was uploaded before. */
  readonly payload: (photo: string) => Record<string, unknown>;
}

/** Creates a function that sends a picture: the first time its bytes, later the file id that Telegram gave it. */
export function createUploads(api: Pick<BotApi, 'call'>) {
  const files = new Map<string, string>();
  return async (picture: Uint8Array, { method, signal, payload }: Upload): Promise<Reference> => {
    const hash = createHash('sha256').update(picture).digest('base64url');
    const known = files.get(hash);
    const options = {
      result: message,
      signal,
      ...(known === undefined && { file: { name: 'chart.png', type: 'image/png', bytes: picture } }),
    };
    const posted = await api
      .call(method, { ...options, payload: payload(known ?? 'attach://file') })
      .catch((error: unknown) => {
        files.delete(hash);
        throw error;
      });
    const [block] = posted.rich_message?.blocks?.filter((each) => each.photo !== undefined) ?? [];
    const name = (posted.photo ?? block?.photo)?.at(-1)?.file_id;
    if (name !== undefined) files.set(hash, name);
    if (files.size > filesKept) files.delete(files.keys().next().value ?? '');
    return referenceOf(posted);
  };
}
