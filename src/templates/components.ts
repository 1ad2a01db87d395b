import { type Json, object, textOf } from '../providers/messaging-app/json.ts';

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const wordOf = (value: unknown): string => textOf(value).toUpperCase();

export const partOf = (components: unknown[], type: string): Json | undefined =>
  components.map(object).find((component) => wordOf(component.type) === type);

export const buttonsOf = (components: unknown[]): Json[] => list(partOf(components, 'BUTTONS')?.buttons).map(object);
export const cardsOf = (components: unknown[]): Json[] => list(partOf(components, 'CAROUSEL')?.cards).map(object);

const placeholder = /\{\{ *(\w{1,100}) *\}\}/g;

/** The names between the braces, each once: `1`, `2` or, of a template with named parameters, its own. */
export const placeholdersIn = (text: unknown): string[] => [
  ...new Set([...textOf(text).matchAll(placeholder)].map(([, name]) => name!)),
];

export const isNamed = (names: string[]) => names.some((name) => !/^\d+$/.test(name));

export const fillIn = (text: string, shownAs: (name: string) => string): string =>
  text.replace(placeholder, (_whole, name: string) => shownAs(name));

/** The provider writes the words of a code to log in with, and shows them only once it has the template. */
export function bodyTextOf({ category, components }: { category: string; components: unknown[] }): string {
  const body = partOf(components, 'BODY') ?? {};
  if (body.text !== undefined || category.toLowerCase() !== 'authentication') return textOf(body.text);
  const advice = body.add_security_recommendation === true ? ' For your security, do not share this code.' : '';
  return `*{{1}}* is your verification code.${advice}`;
}

export const parameterFormatOf = (template: { category: string; components: unknown[] }) =>
  isNamed([...placeholdersIn(partOf(template.components, 'HEADER')?.text), ...placeholdersIn(bodyTextOf(template))])
    ? ('named' as const)
    : ('positional' as const);
