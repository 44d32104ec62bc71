/** U+2060: it is not seen, and a line does not break at it. */
export const joiner = '\u2060';

/**
 * Positions inside what platforms and mail programs make a link of, although nobody marked it as one: `https://`, and after a
 * dot of `evil.com`, `t.me/x`, `a@b.example` and names of signs and emojis (td, `is_domain_symbol`). No top-level domain has one
 * letter.
 */
const linked = /(?<=:)(?=\/\/)|(?<=[\p{L}\p{M}\p{N}\p{S}_-][.\u3002\uff0e\uff61])(?=\p{L}[\p{L}\p{M}])/gu;

/** Returns the text with a joiner inside everything that would become a link. Done twice, it changes nothing more. */
export const breakLinks = (text: string): string => text.replaceAll(linked, joiner);
