import type { User } from 'telegraf/types';
import { type Answer, changeBoth } from '../../card/card.ts';
import { beginning, plainLine } from '../../card/plain.ts';
import { sayCard } from '../../card/say-card.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { AttachedFile } from '../../shell/attached-file.ts';
import type { Caller, Command } from '../../shell/command.ts';
import type { CommandRequest } from '../../shell/request.ts';
import { isQuestion, managerRights, type Rights } from '../../shell/rights.ts';
import { commandNamed } from '../../shell/vocabulary.ts';
import type { Ports } from '../ports.ts';
import { type Answers, callerDetails, receiverOf } from './answers.ts';
import type { BotApi } from './bot-api.ts';
import type { Members } from './members.ts';
import type { TelegramPlace } from './messages.ts';
import { isStart, joined, readTarget } from './read-line.ts';

export interface ConversationOptions {
  readonly ports: Ports;
  readonly api: Pick<BotApi, 'call' | 'fetch' | 'now'>;
  readonly answers: Answers;
  readonly members: Members;
  readonly username: string;
  readonly stopping: AbortSignal;
}

/** Where something was asked, and by whom. */
export interface QuestionOrigin {
  readonly place: TelegramPlace;
  readonly isPrivate: boolean;
  /** Undefined for posts of a channel and for administrators who stay anonymous. */
  readonly user: Pick<User, 'id' | 'username' | 'first_name' | 'language_code'> | undefined;
  readonly rights: Rights;
  readonly replyTo?: number;
  /** The file that the message contains or replies to. */
  readonly file?: AttachedFile | undefined;
}

export const callerOf = ({ place, user, rights, isPrivate }: QuestionOrigin): Caller => ({
  ...callerDetails(receiverOf(place), user),
  ...(user !== undefined && !isPrivate && { direct: async () => receiverOf({ chatId: String(user.id) }) }),
  user: user === undefined ? 'an administrator' : nameOf(user),
  rights,
});

/** Runs a command line, about this chat or, in a private chat, about the chat that the line names. */
export async function run(
  line: string,
  { origin, options }: { readonly origin: QuestionOrigin; readonly options: ConversationOptions },
): Promise<Answer<string>> {
  const { file } = origin;
  const request = (text: string): CommandRequest => (file === undefined ? text : { line: text, file });
  const [, name = line, rest = ''] = /^(\S+)\s+([\s\S]*)$/.exec(line) ?? [];
  const caller = callerOf(origin);
  const targeted = readTarget(rest);
  if (!origin.isPrivate || origin.user === undefined || targeted === undefined) {
    return options.ports.ask(request(line), caller);
  }
  try {
    const { chatId, title } = await options.members.findManagedChat(targeted.target, origin.user.id);
    const receiver = receiverOf({ chatId });
    const targetCaller = { ...caller, rights: managerRights, receiver, answeredElsewhere: true };
    const answer = await options.ports.ask(request(joined(name, targeted.rest)), targetCaller);
    return changeBoth(answer, (card) => ({
      ...card,
      title: `${title}: ${card.title}`,
      actions: card.actions?.map((action) => ({
        ...action,
        command: action.command.replace(/^\S+/, (first) => `${first} ${targeted.target}`),
      })),
    }));
  } catch (error) {
    if (error instanceof UserError) {
      const refusal = { title: error.title ?? msg('Can’t do that'), summary: error.remedy };
      return sayCard(refusal, await options.ports.reader(caller));
    }
    throw error;
  }
}

/** Whether the command may change something, or is `/start`: its greeting of new people is never too late. */
export const mayChange = (name: string, options: ConversationOptions): boolean => {
  const command = commandOf(name, options);
  return isStart(name) || (command !== undefined && !isQuestion(command));
};

export const commandOf = (name: string, { ports }: ConversationOptions): Command | undefined =>
  commandNamed(name, ports.commands);

/** Returns the place of a message. Only a topic's thread id is part of it: in other groups a thread is a chain of replies. */
export const placeOf = (
  chatId: number,
  received: { readonly message_thread_id?: number; readonly is_topic_message?: boolean } | object,
): TelegramPlace => {
  const { message_thread_id: threadId, is_topic_message: isTopic } = received as {
    message_thread_id?: number;
    is_topic_message?: boolean;
  };
  return { chatId: String(chatId), ...(isTopic === true && threadId !== undefined && { threadId }) };
};

/**
 * Returns the user's name for the record: the username, which belongs to one person; else the first name with the id, because
 * many people may have that name and it may look like a username.
 */
export const nameOf = ({
  id,
  username,
  first_name,
}: Pick<User, 'id' | 'first_name'> & { readonly username?: string | undefined }): string =>
  username === undefined
    ? joined(beginning(plainLine(first_name).replaceAll('@', ''), 64).trim(), `(id ${id})`)
    : `@${username}`;
