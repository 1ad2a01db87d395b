import { type Template, type Token, TypeGuards, type Value } from 'liquidjs';
import { maxIndexing } from './limits.ts';
import { campaignFields, contactFields } from './scope.ts';

type Argument = Value | Token;

const roots = ['contact', 'recipient', 'campaign'];
const fieldsOf: Record<string, readonly string[] | undefined> = { contact: contactFields, campaign: campaignFields };
/** Never there, since only own properties are read: whoever writes them should hear so. */
const forbidden = ['__proto__', 'constructor', 'prototype'];

/** What is wrong with the names in a parsed text: the first, as a message. */
export function variableFault(templates: Template[]): string | undefined {
  const assigned = new Set(assignedIn(templates));
  if (whenIn(templates)) return 'The tag when takes texts and numbers, not variables';
  for (const token of argumentsIn(templates)) {
    const fault = tokenFault(token, assigned, 0);
    if (fault) return fault;
  }
  return undefined;
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
const childrenOf = (template: Template) => (template.children?.(false, true).next().value ?? []) as Template[];

function* tokensIn(argument: Argument): Generator<Token> {
  if (!('initial' in argument)) return yield argument;
  yield* argument.initial.postfix;
  for (const { args } of argument.filters)
    for (const arg of args as (Token | [string, Token | undefined])[]) {
      const token = Array.isArray(arg) ? arg[1] : arg;
      if (token) yield token;
    }
}

function tokenFault(token: Token, assigned: Set<string>, depth: number): string | undefined {
  if (TypeGuards.isRangeToken(token)) return 'A range is not allowed';
  if (!TypeGuards.isPropertyAccessToken(token)) return undefined;
  if (depth >= maxIndexing) return `More than ${maxIndexing} variables in each other's brackets`;
  const { variable, props } = token;
  if (variable) return tokenFault(variable, assigned, depth);
  return nameFault(props.map(literalOf), assigned) ?? firstFault(props, (prop) => tokenFault(prop, assigned, depth + 1));
}

/** undefined: a name that another variable gives. */
const literalOf = (prop: Token): string | undefined =>
  TypeGuards.isPropertyAccessToken(prop) || !('content' in prop) ? undefined : String(prop.content);

function nameFault([root, field, ...more]: (string | undefined)[], assigned: Set<string>): string | undefined {
  const bad = [root, field, ...more].find((name) => name !== undefined && forbidden.includes(name));
  if (bad) return `No variable is called ${bad}`;
  if (root === undefined || !(roots.includes(root) || assigned.has(root)))
    return `There is no variable ${root ?? 'with such a name'}: use ${roots.join(', ')}`;
  const fields = assigned.has(root) ? undefined : fieldsOf[root];
  return fields && field !== undefined && !fields.includes(field)
    ? `${root} has no field ${field}; it has ${fields.join(', ')}`
    : undefined;
}

function firstFault<T>(list: T[], faultOf: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const fault = faultOf(one);
    if (fault) return fault;
  }
  return undefined;
}
