const protocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const begin = /^(https?:\/\/|mailto:|tel:)/i;
/** A browser passes over some of them, within a scheme too. */
const unseen = /[\p{Cc}\p{Cf}\p{Z}]/u;
const maxLength = 2_048;

/** Whole addresses only: what a relative one means depends on the page that shows it. */
export const isAllowedLink = (href: string): boolean =>
  href.length <= maxLength &&
  !unseen.test(href) &&
  begin.test(href) &&
  URL.canParse(href) &&
  protocols.has(new URL(href).protocol);
