import type { Card } from '../../card/card.ts';
import { msg } from '../../language/text.ts';

export const notMemberCard: Card = {
  title: msg('Can’t do that'),
  summary: msg(
    'The bot is not a member here, so it could post nothing. Add it to this server, or write to it directly, and ask there.',
  ),
  forAsker: true,
};

export const noChannelCard: Card = {
  title: msg('That channel no longer exists'),
  summary: msg('Choose another one in the menu.'),
  forAsker: true,
};

export const expiredCard: Card = {
  title: msg('This answer has expired'),
  summary: msg('Ask again: then all its pages and buttons are there.'),
  forAsker: true,
};

export const unshownCard: Card = {
  title: msg('{name}: something broke', { name: msg('Your question') }),
  summary: msg('The answer could not be shown here. The log says why.'),
  forAsker: true,
};

export const doneCard: Card = {
  title: msg('The answer could not be shown'),
  summary: msg('What you asked for is done. The log says why its answer is missing.'),
  forAsker: true,
};
