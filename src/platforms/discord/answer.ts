import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type Interaction,
  MessageFlags,
  type RepliableInteraction,
} from 'discord.js';
import { z } from 'zod';
import type { Answer, Card } from '../../card/card.ts';
import { sayCard } from '../../card/say-card.ts';
import { download } from '../../runtime/download.ts';
import { second } from '../../runtime/units.ts';
import { type AttachedFile, maxFileSize } from '../../shell/attached-file.ts';
import type { Caller, Command } from '../../shell/command.ts';
import { type CommandRequest, commandNameOf } from '../../shell/request.ts';
import { commandNamed } from '../../shell/vocabulary.ts';
import type { Ports } from '../ports.ts';
import { doneCard, expiredCard, notMemberCard, unshownCard } from './answer-cards.ts';
import { originOf } from './caller.ts';
import { findForm, modalOf, type ReopenButton, readForm, withReopenButton } from './form.ts';
import { type LongLines, linePrefix } from './long-lines.ts';
import { asEphemeral, messageOf } from './message.ts';
import { type AnswerPage, type Pages, readPageId } from './pages.ts';
import { placedIn, pressPanel, readPanelPress } from './panel.ts';
import { commandPrefix } from './render.ts';
import { type Attachment, readSlash, suggest } from './slash.ts';
import type { CommandIds } from './text.ts';

/** Discord waits 3 s for the first response. If the answer is not ready after this time, the bot first says "thinking". */
const deferAfter = second;

interface AnswerPorts extends Ports {
  readonly pages: Pages;
  readonly lines: LongLines;
  /** The ids of the commands where the interaction happened. */
  readonly ids: CommandIds;
}

interface InteractionRequest {
  readonly request: CommandRequest;
  /** Only the asker is to see the answer. */
  readonly private: boolean;
  /** The button that opens the submitted form again. */
  readonly reopen?: ReopenButton;
}

/** Reads the request of a slash command, a form, a button or a menu; undefined for any other interaction. */
function readInteraction(interaction: Interaction, ports: AnswerPorts): InteractionRequest | undefined {
  if (interaction.isChatInputCommand()) {
    const { commandName, options } = interaction;
    const { request, attachment, ...rest } = readSlash(commandName, {
      given: options.data,
      commands: ports.commands,
    });
    return { ...rest, request: { ...request, ...(attachment && { file: attachedFile(attachment) }) } };
  }
  if (interaction.isMessageContextMenuCommand())
    return { request: whyOf(interaction.targetMessage.components), private: true };
  if (interaction.isModalSubmit()) {
    const submitted = readForm(interaction, ports.commands) ?? { request: interaction.customId };
    return { ...submitted, private: true };
  }
  const chosen = chosenIn(interaction);
  return chosen === undefined ? undefined : { request: lineOf(chosen, ports), private: true };
}

const buttons = z.array(
  z.object({ components: z.array(z.object({ customId: z.string().nullish() })).default([]) }),
);

/** Returns the question why a message was posted: that of its own button. A message without one asks about the last alerts. */
function whyOf(components: unknown): string {
  const ids = buttons.safeParse(components).data?.flatMap((row) => row.components) ?? [];
  const own = ids.find(({ customId }) => customId?.startsWith(`${commandPrefix}why `));
  return own?.customId?.slice(commandPrefix.length) ?? 'why';
}

/** Returns the id of a pressed button, or the value chosen in a menu; undefined for any other interaction. */
const chosenIn = (interaction: Interaction): string | undefined =>
  interaction.isButton() || interaction.isChannelSelectMenu() || interaction.isRoleSelectMenu()
    ? interaction.customId
    : interaction.isStringSelectMenu()
      ? (interaction.values[0] ?? '')
      : undefined;

/**
 * Returns the command line behind an id. An id of an earlier version is returned as it is, and is answered as not
 * understood.
 */
const lineOf = (id: string, { lines }: AnswerPorts): string =>
  lines.find(id) ?? (id.startsWith(commandPrefix) ? id.slice(commandPrefix.length) : id);

const attachedFile = ({ url, size }: Attachment): AttachedFile => ({
  size,
  read: (signal) => download(url, { most: maxFileSize, signal }),
});

const commandOf = (request: CommandRequest, { commands }: Ports): Command | undefined =>
  commandNamed(commandNameOf(request), commands);

/** Answers one interaction: at once if possible, otherwise with "thinking" first and the answer afterwards. */
export async function answer(interaction: Interaction, ports: AnswerPorts): Promise<void> {
  if (interaction.isAutocomplete()) return complete(interaction, ports);
  const answerPage = interaction.isButton() ? readPageId(interaction.customId) : undefined;
  if (answerPage !== undefined && interaction.isButton()) return turnPage(interaction, { answerPage, ports });
  if (!interaction.isRepliable()) return undefined;
  const chosen = chosenIn(interaction);
  if (chosen?.startsWith(linePrefix) && ports.lines.find(chosen) === undefined)
    return replyExpired(interaction, ports);
  const { caller, botIsMember } = originOf(interaction);
  const press =
    chosen !== undefined && interaction.isMessageComponent()
      ? readPanelPress(interaction, { line: lineOf(chosen, ports), caller })
      : undefined;
  if (press !== undefined && interaction.isMessageComponent()) return pressPanel(interaction, press, ports);
  const question = readInteraction(interaction, ports);
  if (question === undefined) return undefined;
  const form = caller.rights.has('manage') ? findForm(question.request, ports.commands) : undefined;
  if (form !== undefined && !interaction.isModalSubmit()) {
    await interaction.showModal(modalOf(form, await ports.reader(caller)));
    return undefined;
  }
  const { takes, personal = false } = commandOf(question.request, ports) ?? {};
  const changesSettings = takes === 'manage';
  const isHidden = changesSettings || personal || question.private || !botIsMember;
  const card =
    changesSettings && !botIsMember
      ? ports.reader(caller).then((reader) => sayCard(notMemberCard, reader))
      : ask(question, { caller, ports });
  return sendAnswer(interaction, { answer: card, hidden: isHidden, ports });
}

async function ask(
  { request, reopen }: InteractionRequest,
  { caller, ports }: { readonly caller: Caller; readonly ports: AnswerPorts },
): Promise<Answer<string>> {
  // Read before: what fails after a change would make it look as if it had failed.
  const reader = reopen && (await ports.reader(caller));
  const answered = await ports.ask(request, caller);
  return reopen === undefined || reader === undefined
    ? answered
    : withReopenButton(answered, { reopen, reader });
}

async function complete(interaction: AutocompleteInteraction, ports: Ports): Promise<void> {
  const { name, value } = interaction.options.getFocused(true);
  const { universe, kinds, commands } = ports;
  const own = await ports.listOwn(originOf(interaction).caller);
  const context = { universe: universe(), kinds, commands, own };
  return interaction.respond(suggest(interaction.commandName, { focused: { name, value }, context }));
}

async function replyExpired(interaction: RepliableInteraction, ports: AnswerPorts): Promise<void> {
  const reader = await ports.reader(originOf(interaction).caller);
  await interaction.reply(asEphemeral(await messageOf(sayCard(expiredCard, reader), ports)));
}

/** Shows another page of an answer: in place of the current page for the asker, in a private reply for any other user. */
async function turnPage(
  interaction: ButtonInteraction,
  { answerPage, ports }: { readonly answerPage: AnswerPage; readonly ports: AnswerPorts },
): Promise<void> {
  const keptAnswer = ports.pages.find(answerPage.answer);
  if (keptAnswer === undefined) return replyExpired(interaction, ports);
  if (keptAnswer.asker === interaction.user.id) {
    await interaction.deferUpdate();
    // Existing attachments are removed; those of the first page are sent again with that page.
    await interaction.editReply({
      ...(await messageOf(keptAnswer.card, { ...ports, ...keptAnswer, answerPage })),
      attachments: [],
    });
    return;
  }
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  const ownPage = { answer: interaction.id, page: answerPage.page };
  ports.pages.keep(ownPage.answer, { ...keptAnswer, asker: interaction.user.id });
  await interaction.editReply(
    await messageOf(keptAnswer.card, { ...ports, ...keptAnswer, answerPage: ownPage }),
  );
}

/** An answer on its way; `hidden`: only the asker is to see it. */
interface Answering {
  readonly answer: Promise<Answer<string>>;
  readonly hidden: boolean;
  readonly ports: AnswerPorts;
}

async function sendAnswer(
  interaction: RepliableInteraction,
  { answer, hidden, ports }: Answering,
): Promise<void> {
  const answerPage = { answer: interaction.id, page: 0 };
  const { address } = originOf(interaction).caller.receiver;
  const renderPage = (answered: Card<string>) => {
    const card = answered.panel === true ? placedIn(address, answered) : answered;
    ports.pages.keep(answerPage.answer, { card, asker: interaction.user.id, ids: ports.ids });
    return messageOf(card, { ...ports, answerPage });
  };
  const rendered = answer.then(async ({ later, ...card }) => ({
    message: await renderPage(card),
    forAsker: card.forAsker === true,
    later,
  }));
  try {
    await sendFirst(interaction, { rendered, hidden, ports });
  } catch (error) {
    await sayUnshown(interaction, { answer, hidden, ports }).catch(() => {});
    throw error;
  }
  const complete = await (await rendered).later;
  if (complete !== undefined) await interaction.editReply(await renderPage(complete));
}

/**
 * Says that the answer could not be shown, and that what was asked is done, if it was not refused. Without it "thinking" would
 * stay for a quarter of an hour.
 */
async function sayUnshown(
  interaction: RepliableInteraction,
  { answer, hidden, ports }: Answering,
): Promise<void> {
  const { forAsker } = await answer.catch(() => unshownCard);
  const reader = await ports.reader(originOf(interaction).caller);
  const message = await messageOf(sayCard(forAsker === true ? unshownCard : doneCard, reader), ports);
  if (interaction.deferred) await interaction.editReply(message);
  else await interaction.reply(hidden ? asEphemeral(message) : message);
}

interface Rendered {
  readonly message: Awaited<ReturnType<typeof messageOf>>;
  readonly forAsker: boolean;
}

async function sendFirst(
  interaction: RepliableInteraction,
  { rendered, hidden, ports }: Pick<Answering, 'hidden' | 'ports'> & { readonly rendered: Promise<Rendered> },
): Promise<void> {
  const ephemeral = { flags: MessageFlags.Ephemeral as const };
  const timer = new AbortController();
  const inTime = await Promise.race([
    rendered,
    ports.wall.sleep(deferAfter, timer.signal).then(() => undefined),
  ]).finally(() => timer.abort());
  if (inTime !== undefined) {
    await interaction.reply(hidden || inTime.forAsker ? asEphemeral(inTime.message) : inTime.message);
    return;
  }
  await interaction.deferReply(hidden ? ephemeral : {});
  const { message, forAsker } = await rendered;
  if (!forAsker || hidden) {
    await interaction.editReply(message);
    return;
  }
  // The first response fixes who sees the answer, so that response is deleted and the answer is sent as a new one.
  await interaction.deleteReply();
  await interaction.followUp(asEphemeral(message));
}
