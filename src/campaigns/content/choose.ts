import { createHash } from 'node:crypto';

const bits = 48;

/** Always the same for a recipient, while the variants are the same. Throws when all weights are 0, which is refused when saved. */
export function variantOf<T extends { weight: number }>(recipientId: string, variants: T[]): T {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const hash = createHash('sha256')
    .update(recipientId)
    .digest()
    .readUIntBE(0, bits / 8);
  let point = (hash / 2 ** bits) * total;
  const found = variants.find(({ weight }) => {
    point -= weight;
    return point < 0;
  });
  if (!found) throw new Error('No variant has a weight');
  return found;
}

const wordsOf = (language: string) => language.toLowerCase().split(/[-_]/).filter(Boolean);

/** The template of a language: the same, else one that says more or less of it (`pt` and `pt_BR`), else the first. */
export function templateFor<T extends { language: string }>(templates: T[], language: string | undefined): T | undefined {
  const wanted = wordsOf(language ?? '');
  const fits = (one: T, isExact: boolean) => {
    const words = wordsOf(one.language);
    const shorter = Math.min(words.length, wanted.length);
    return (
      (!isExact || words.length === wanted.length) &&
      shorter > 0 &&
      words.slice(0, shorter).join() === wanted.slice(0, shorter).join()
    );
  };
  return templates.find((one) => fits(one, true)) ?? templates.find((one) => fits(one, false)) ?? templates[0];
}

/** Contacts have no column for it: a custom field of this name, where one is written. */
export function languageOf(contact: { language?: unknown; custom_fields?: unknown }): string | undefined {
  const { language, custom_fields: fields } = contact;
  const own =
    fields !== null && typeof fields === 'object' && Object.hasOwn(fields, 'language') ? Reflect.get(fields, 'language') : '';
  return [language, own].find((one): one is string => typeof one === 'string' && one !== '');
}
