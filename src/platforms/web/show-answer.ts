import { randomUUID } from 'node:crypto';
import { renderPage } from '../../card/render-json.ts';
import { scrub } from '../../runtime/secret.ts';
import type { Caller } from '../../shell/command.ts';
import type { WebMessage } from './message.ts';
import type { WebPorts } from './ports.ts';
import type { createPublisher } from './publish.ts';

interface Asked {
  readonly line: string;
  readonly room: string;
  readonly id: string | undefined;
  readonly caller: Caller;
}

/**
 * Runs a line that was typed on the page, and shows the answer in its room. What a command has changed is saved by the time it
 * answers, so a failure after that never looks as if the command had failed.
 */
export async function answerCommand(
  { line, room, id, caller }: Asked,
  {
    ask,
    publish,
    reader,
    wall,
    log,
  }: Pick<WebPorts, 'ask' | 'reader' | 'wall'> & {
    /** Undefined: the answer is for the asker alone, and is not kept. */
    readonly publish: ReturnType<typeof createPublisher> | undefined;
    readonly log: { error(context: object, message: string): void };
  },
): Promise<{ readonly message: WebMessage; readonly language: string | undefined }> {
  const failed = (error: unknown) => void log.error({ err: error }, 'could not keep an answer');
  const { later, failure, ...first } = await ask(line, caller);
  // What comes later comes by the room, in which only kept messages are.
  const card = (publish === undefined && (await later)) || first;
  // Read after the command, which may have changed the language.
  const read = await reader(caller).catch(failed);
  const refused = failure !== undefined && { refused: true as const };
  const post = { id: `command-${id ?? randomUUID()}`, room, line: withoutSecrets(line), ...refused };
  const unkept = () => ({ ...post, card: renderPage(card), edited: false, at: wall.now() });
  if (publish === undefined) return { message: unkept(), language: read ? read.language : undefined };
  const message = (await publish({ ...post, card, edited: false }).catch(failed)) ?? unkept();
  later
    ?.then((complete) => complete && publish({ ...post, card: complete, edited: true }))
    .catch((error: unknown) => log.error({ err: error }, 'could not complete an answer'));
  return { message, language: read ? read.language : undefined };
}

/** The line as it is kept and shown: a token that was typed in it stands nowhere. */
const withoutSecrets = (line: string): string =>
  scrub(line.replace(/\b(\w*(?:token|secret|password))=("[^"]*"?|\S+)/gi, '$1=…'));
