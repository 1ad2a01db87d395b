import { type Template, type Token, TypeGuards, type Value } from 'liquidjs';
import { allowedFilters } from './filters.ts';
import { isLiquid } from './parse.ts';
import { parsedText } from './parsed.ts';
import { childrenOf, readBy } from './variables.ts';

/** What they give holds the value as it is. */
export const keepingFilters = ['append', 'prepend', 'default'];

/** What a text does with the variable `root`, or with what it assigns from it, other than show it whole: the first, as a message. */
export function changeOf(root: string, text: string): string | undefined {
  const parsed = isLiquid(text) ? parsedText(text) : undefined;
  if (!parsed || !('templates' in parsed)) return undefined;
  const all = [...allIn(parsed.templates)];
  const names = new Set([root]);
  // Each may be assigned from one that stands behind it in the list.
  for (let before = 0; before < names.size; ) {
    before = names.size;
    for (const one of all.filter((each) => valuesOf(each).some((value) => reads(value, names))))
      for (const name of assignedBy(one)) names.add(name);
  }
  for (const one of all) {
    const change = firstOf(valuesOf(one), (value) => changeIn(value, isCase(one), names));
    if (change) return change;
  }
  return undefined;
}

function* allIn(templates: Template[]): Generator<Template> {
  for (const template of templates) {
    yield template;
    yield* allIn(childrenOf(template));
  }
}

const isCase = (template: Template) => 'name' in template && template.name === 'case';
const assignedBy = (template: Template) => [...(template.localScope?.() ?? [])].map(({ content }) => content);
const valuesOf = (template: Template): Value[] =>
  [...(template.arguments?.() ?? [])].filter((one): one is Value => 'initial' in one);

type Names = ReadonlySet<string>;
const isRead = (token: Token, names: Names) => [...readBy(token)].some(({ root }) => names.has(root));

/** Without the engine's own last one, which shows what an output gives and is no name. */
const isNamed = ({ name }: { name: string }) => allowedFilters.includes(name);

const argumentsOf = ({ args }: Value['filters'][number]): Token[] =>
  (args as (Token | [string, Token | undefined])[]).flatMap((one) => (Array.isArray(one) ? (one[1] ?? []) : [one]));

const reads = ({ initial, filters }: Value, names: Names) =>
  [...initial.postfix, ...filters.flatMap(argumentsOf)].some((token) => isRead(token, names));

function changeIn({ initial, filters }: Value, isCompared: boolean, names: Names): string | undefined {
  let isIn = initial.postfix.some((token) => isRead(token, names));
  if (isIn && (isCompared || initial.postfix.some((token) => TypeGuards.isOperatorToken(token)))) return 'it cannot be compared';
  for (const filter of filters.filter(isNamed)) {
    isIn ||= argumentsOf(filter).some((token) => isRead(token, names));
    if (isIn && !keepingFilters.includes(filter.name))
      return `the filter ${filter.name} cannot read it: use ${keepingFilters.join(', ')}`;
  }
  return undefined;
}

function firstOf<One, Found>(list: One[], find: (one: One) => Found | undefined): Found | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
