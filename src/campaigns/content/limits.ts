/** Of a rendered parameter. A parameter has at most 1,024. */
export const maxRendered = 1_024;
/** Characters of all Liquid texts of a campaign: parsing them takes less than 50 ms. */
export const maxCampaign = 65_536;
/** JSON in a parameter. */
export const maxDepth = 16;
/** Copied for a message of what is known about a recipient, in characters. What is beyond counts as missing. */
export const maxCopied = 65_536;
