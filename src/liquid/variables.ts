import { type Template, type Token, TypeGuards, type Value } from 'liquidjs';
import { maxIndexing } from './limits.ts';

type Argument = Value | Token;
type NameFault = (names: (string | undefined)[]) => string | undefined;

/** `words`: what such names have, for whoever reads the fault. */
export type NamesLike = { pattern: RegExp; words: string };
/** The names that texts may begin with, and the fields of each; null: any. */
export type Variables = Readonly<Record<string, readonly string[] | NamesLike | null>>;

/** Never there, since only own properties are read: whoever writes them should hear so. */
const forbidden = ['__proto__', 'constructor', 'prototype'];

/** What is wrong with the names in a parsed text: the first, as a message. `variables`: null, any name may be there. */
export function variableFault(templates: Template[], variables: Variables | null): string | undefined {
  const assigned = new Set(assignedIn(templates));
  if (whenIn(templates)) return 'The tag when takes texts and numbers, not variables';
  for (const token of argumentsIn(templates)) {
    const fault = tokenFault(token, nameFault, 0);
    if (fault) return fault;
  }
  return undefined;

  function nameFault([root, field, ...more]: (string | undefined)[]): string | undefined {
    const bad = [root, field, ...more].find((name) => name !== undefined && forbidden.includes(name));
    if (bad) return `No variable is called ${bad}`;
    if (variables === null || (root !== undefined && assigned.has(root))) return undefined;
    if (root === undefined || !Object.hasOwn(variables, root))
      return `There is no variable ${root ?? 'with such a name'}: use ${Object.keys(variables).join(', ')}`;
    const fields = variables[root];
    if (!fields || field === undefined) return undefined;
    if ('pattern' in fields)
      return fields.pattern.test(field) ? undefined : `${root} has no field ${field}; its names have ${fields.words}`;
    return fields.includes(field) ? undefined : `${root} has no field ${field}; it has ${fields.join(', ') || 'none'}`;
  }
}

/** What a parsed text reads: its first name and its second, undefined where another value gives it. */
export function* readIn(templates: Template[]): Generator<{ root: string; field: string | undefined }> {
  for (const token of argumentsIn(templates)) yield* readBy(token);
}

export function* readBy(token: Token): Generator<{ root: string; field: string | undefined }> {
  if (!TypeGuards.isPropertyAccessToken(token)) return;
  const { variable, props } = token;
  const names = variable ? [] : props.map(literalOf);
  if (names[0] !== undefined) yield { root: names[0], field: names[1] };
  for (const prop of props) yield* readBy(prop);
}

function* assignedIn(templates: Template[]): Generator<string> {
  for (const template of templates) {
    for (const { content } of template.localScope?.() ?? []) yield content;
    yield* assignedIn(childrenOf(template));
  }
}

/** It compares without the bounded operators. Of the allowed tags it alone has arguments that are no expression. */
const whenIn = (templates: Template[]): boolean =>
  templates.some(
    (template) =>
      [...(template.arguments?.() ?? [])].some((one) => !('initial' in one) && TypeGuards.isPropertyAccessToken(one)) ||
      whenIn(childrenOf(template)),
  );

function* argumentsIn(templates: Template[]): Generator<Token> {
  for (const template of templates) {
    for (const argument of template.arguments?.() ?? []) yield* tokensIn(argument);
    yield* argumentsIn(childrenOf(template));
  }
}

/** Those of the allowed tags never yield: they have no files to read. */
export const childrenOf = (template: Template) => (template.children?.(false, true).next().value ?? []) as Template[];

function* tokensIn(argument: Argument): Generator<Token> {
  if (!('initial' in argument)) return yield argument;
  yield* argument.initial.postfix;
  for (const { args } of argument.filters)
    for (const arg of args as (Token | [string, Token | undefined])[]) {
      const token = Array.isArray(arg) ? arg[1] : arg;
      if (token) yield token;
    }
}

function tokenFault(token: Token, nameFault: NameFault, depth: number): string | undefined {
  if (TypeGuards.isRangeToken(token)) return 'A range is not allowed';
  if (!TypeGuards.isPropertyAccessToken(token)) return undefined;
  if (depth >= maxIndexing) return `More than ${maxIndexing} variables in each other's brackets`;
  const { variable, props } = token;
  if (variable) return tokenFault(variable, nameFault, depth);
  return nameFault(props.map(literalOf)) ?? firstFault(props, (prop) => tokenFault(prop, nameFault, depth + 1));
}

/** undefined: a name that another variable gives. */
const literalOf = (prop: Token): string | undefined =>
  TypeGuards.isPropertyAccessToken(prop) || !('content' in prop) ? undefined : String(prop.content);

function firstFault<T>(list: T[], faultOf: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const fault = faultOf(one);
    if (fault) return fault;
  }
  return undefined;
}
