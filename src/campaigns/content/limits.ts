/**
 * The engine's own limits look at the clock only between two nodes. So what is saved is small, and what a node may do is bounded: the worst
 * message takes a few ms (hostile.test.ts), and the clock is only the last resort.
 */

/** Characters of one Liquid text, of a rendered value, and of a value it is given. A parameter has at most 1,024. */
export const maxText = 4_096;
export const maxRendered = 1_024;
/** Of all Liquid texts of one message: characters, texts, tags and outputs. */
export const maxMessage = { characters: 16_384, texts: 64, nodes: 300 };
/** Characters of all Liquid texts of a campaign: parsing them takes less than 50 ms. */
export const maxCampaign = 65_536;
/** `if` in `if`. */
export const maxNesting = 8;
/** Of `contact[recipient[…]]`. */
export const maxIndexing = 4;
/** JSON in a parameter. */
export const maxDepth = 16;

/** For one message, in characters that filters read and write, which what is slow pays more of. */
export const maxWork = 100_000;
export const maxMs = 20;
/** Of what is looked for in another text, whose cost is the product of both. */
export const maxPattern = 100;
export const maxDateFormat = 32;
/** Copied for a message of what is known about a recipient, in characters. What is beyond counts as missing. */
export const maxCopied = 65_536;
