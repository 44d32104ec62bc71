/** U+2060: it is not seen, and a line does not break at it. */
export const joiner = '\u2060';

/**
 * Positions inside what platforms and mail programs make a link of, although nobody marked it as one: `https://`, and after a
 * dot of `evil.com`, `t.me/x` and `a@b.example`. No top-level domain has one letter.
 */
const linked = /(?<=:)(?=\/\/)|(?<=[\p{L}\p{N}_-][.\u3002\uff0e\uff61])(?=\p{L}{2})/gu;

/** Returns the text with a joiner inside everything that would become a link. Done twice, it changes nothing more. */
export const breakLinks = (text: string): string => text.replaceAll(linked, joiner);
