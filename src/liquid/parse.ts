import { type Template, Tokenizer, TypeGuards, Value } from 'liquidjs';
import { cut } from '../platform/cut.ts';
import { blockTags, engine, isAllowedTag, isEnd } from './engine.ts';
import { maxNesting, maxText } from './limits.ts';
import { variableFault } from './variables.ts';

/** `nodes`: its tags and outputs. `output`: of a text that is one output and nothing else. */
export type Parsed = { templates: Template[]; nodes: number; output?: Value };
export type TextFault = { code: string; message: string };

export const isLiquid = (text: string) => /\{\{|\{%/.test(text);

/** The Liquid texts of a value of any depth. */
export function textsIn(value: unknown, texts: string[] = []): string[] {
  if (typeof value === 'string' && isLiquid(value)) texts.push(value);
  if (value !== null && typeof value === 'object') for (const one of Object.values(value)) textsIn(one, texts);
  return texts;
}

export const textFault = (code: string, message: string): TextFault => ({ code: `liquid.${code}`, message });

/** Parses a text with names of any kind, or says what is wrong with it: a few ms for the longest. Never throws. */
export function parse(text: string): Parsed | TextFault {
  if (text.length > maxText) return textFault('too_long', `A Liquid text has at most ${maxText} characters`);
  try {
    const tags = tagsIn(text);
    const wrong = tags.names.find((name) => !isAllowedTag(name));
    if (wrong !== undefined)
      return textFault('tag_forbidden', `There is no tag ${wrong}: use ${[...blockTags, 'assign'].join(', ')}`);
    if (deepest(tags.names) > maxNesting) return textFault('too_deep', `Tags stand at most ${maxNesting} deep in each other`);
    const templates = engine.parse(text);
    const name = variableFault(templates, null);
    if (name) return textFault('variable_unknown', name);
    return { templates, nodes: tags.nodes, output: tags.output === undefined ? undefined : new Value(tags.output, engine) };
  } catch (error) {
    return syntaxFault(error);
  }
}

function tagsIn(text: string): { names: string[]; nodes: number; output?: string } {
  const tokens = new Tokenizer(text, engine.options.operators).readTopLevelTokens(engine.options);
  const names = tokens.filter(TypeGuards.isTagToken).map(({ name }) => name);
  const outputs = tokens.filter(TypeGuards.isOutputToken);
  const output = tokens.length === 1 ? outputs[0]?.content : undefined;
  return { names, nodes: names.length + outputs.length, output };
}

function deepest(names: string[]): number {
  let [depth, max] = [0, 0];
  for (const name of names) {
    if (blockTags.includes(name)) depth++;
    if (isEnd(name)) depth--;
    max = Math.max(max, depth);
  }
  return max;
}

/** The engine's words have the place, and nothing but the text itself. */
function syntaxFault(error: unknown): TextFault {
  const [line = ''] = (error instanceof Error ? error.message : '').split('\n');
  const filter = /undefined filter: ([\w-]+)/.exec(line)?.[1];
  return filter
    ? textFault('filter_unknown', `There is no filter ${filter}`)
    : textFault('syntax', `It is not Liquid: ${cut(line, 200) || 'it cannot be read'}`);
}
