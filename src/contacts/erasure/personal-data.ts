import type { Identity } from '../identities/identity.ts';

/** A shorter address occurs in other numbers by chance, so only a quoted one matches. */
const minUnquotedLength = 8;

/** The provider's message ids contain the address in base64. */
export function personalTexts(identities: Identity[]): string[] {
  const addresses = identities.flatMap(({ type, value }) => {
    if (type === 'external_id') return [];
    return [type === 'phone' || type === 'messaging_app' ? value.replace(/\D/g, '') : value];
  });
  return [...new Set(addresses)].flatMap((address) =>
    address.length < minUnquotedLength ? [`"${address}"`] : [address, ...inBase64(address)],
  );
}

/** The part of the base64 that does not depend on the bytes around the text, at each of the three offsets. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return whole.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });
}
