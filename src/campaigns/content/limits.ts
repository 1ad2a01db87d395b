export { maxOfWhole as maxCampaign } from '../../liquid/limits.ts';

/** Of a rendered parameter. A parameter has at most 1,024. */
export const maxRendered = 1_024;
/** JSON in a parameter. */
export const maxDepth = 16;
/** Copied for a message of what is known about a recipient, in characters. What is beyond counts as missing. */
export const maxCopied = 65_536;
