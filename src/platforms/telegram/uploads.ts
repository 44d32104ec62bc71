import { createHash } from 'node:crypto';
import { RecentMap } from '../../runtime/recent-map.ts';
import type { BotApi } from './bot-api.ts';
import { message, type Reference, referenceOf } from './reference.ts';

/** Maximum number of pictures remembered by their content, so that one upload serves every chat of a broadcast. */
const maxFiles = 200;

interface Upload {
  readonly method: string;
  readonly signal: AbortSignal;
  /** Builds the payload. `photo` is the name of the attachment, or the file id of a picture that was uploaded before. */
  readonly payload: (photo: string) => Record<string, unknown>;
}

/** Creates a function that sends a picture: the first time its bytes, later the file id that Telegram gave it. */
export function createUploads(api: Pick<BotApi, 'call'>) {
  const fileIdByHash = new RecentMap<string, string>(maxFiles);
  return async (picture: Uint8Array, { method, signal, payload }: Upload): Promise<Reference> => {
    const hash = createHash('sha256').update(picture).digest('base64url');
    const fileId = fileIdByHash.get(hash);
    const options = {
      result: message,
      signal,
      ...(fileId === undefined && { file: { name: 'chart.png', type: 'image/png', bytes: picture } }),
    };
    const posted = await api
      .call(method, { ...options, payload: payload(fileId ?? 'attach://file') })
      .catch((error: unknown) => {
        fileIdByHash.delete(hash);
        throw error;
      });
    const [block] = posted.rich_message?.blocks?.filter((each) => each.photo !== undefined) ?? [];
    const newFileId = (posted.photo ?? block?.photo)?.at(-1)?.file_id;
    if (newFileId !== undefined) fileIdByHash.set(hash, newFileId);
    return referenceOf(posted);
  };
}
