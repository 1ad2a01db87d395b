/**
 * In characters, of what fills a template. The provider documents those of a body (132005), of a coupon's code and of a code to log in with. Of a
 * quick reply's payload another provider of its API says it. Those of a header and of a card it documents for the template; that they hold for
 * the filled one too is not confirmed.
 */
export const maxFilled = { header: 60, body: 1_024, card: 160 };
export const maxCode = 15;
export const maxCoupon = 20;
export const maxPayload = 256;
/** As in every other message. */
export const maxLink = 2_000;

export const lengthOf = (text: string): number => [...text].length;

/** The provider refuses a value that has it (132018). */
export const brokenLine = /[\r\n\t]| {5}/;
