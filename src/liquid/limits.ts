/**
 * The engine's own limits look at the clock only between two nodes. So what is saved is small, and what a node may do is bounded: the worst
 * texts take a few ms (test/src/campaigns/content/hostile.test.ts), and the clock is only the last resort.
 */

/** Characters of one Liquid text, and of what one of its outputs or filters gives. */
export const maxText = 4_096;
/** Of the Liquid texts that are rendered together: a message, a step of a rule. Characters, texts, tags and outputs. */
export const maxTogether = { characters: 16_384, texts: 64, nodes: 300 };
/** Characters of all Liquid texts of a rule or a campaign: parsing them takes less than 50 ms, which `parseAhead` takes apart. */
export const maxOfWhole = 65_536;
/** `if` in `if`. */
export const maxNesting = 8;
/** Of `contact[recipient[…]]`. */
export const maxIndexing = 4;

/** For the texts that are rendered together, in characters that filters read and write, which what is slow pays more of. */
export const maxWork = 100_000;
export const maxMs = 20;
/** Of what is looked for in another text, whose cost is the product of both. */
export const maxPattern = 100;
export const maxDateFormat = 32;

/** Of JSON around the texts. */
export const maxDepth = 16;
/** Characters that the Liquid of one value gives in all. */
export const maxRendered = 65_536;
/** Of what the texts of a value see. A text that is longer than `maxText` is given whole, and no filter gives one. */
export const valueBounds = { characters: 262_144, text: 262_144, depth: 12 };
