import { type Template, Tokenizer, TypeGuards } from 'liquidjs';
import { blockTags, engine, isAllowedTag, isEnd } from './engine.ts';
import { maxMessage, maxNesting, maxText } from './limits.ts';
import { variableFault } from './variables.ts';

/** `nodes`: its tags and outputs. */
export type Parsed = { templates: Template[]; nodes: number };
export type TextFault = { code: string; message: string };

export const isLiquid = (text: string) => /\{\{|\{%/.test(text);

const fault = (code: string, message: string): TextFault => ({ code: `liquid.${code}`, message });

/** Parses a text, or says what is wrong with it. `maxNodes`: the tags and outputs that are left to its message. Never throws. */
export function parseText(text: string, maxNodes: number): Parsed | TextFault {
  if (text.length > maxText) return fault('too_long', `A Liquid text has at most ${maxText} characters`);
  try {
    const tags = tagsIn(text);
    const wrong = tags.names.find((name) => !isAllowedTag(name));
    if (wrong !== undefined)
      return fault('tag_forbidden', `There is no tag ${wrong}: use ${[...blockTags, 'assign'].join(', ')}`);
    if (deepest(tags.names) > maxNesting) return fault('too_deep', `Tags stand at most ${maxNesting} deep in each other`);
    if (tags.nodes > maxNodes)
      return fault('too_many', `The Liquid of a message has at most ${maxMessage.nodes} tags and outputs`);
    const templates = engine.parse(text);
    const name = variableFault(templates);
    return name ? fault('variable_unknown', name) : { templates, nodes: tags.nodes };
  } catch (error) {
    return syntaxFault(error);
  }
}

function tagsIn(text: string): { names: string[]; nodes: number } {
  const tokens = new Tokenizer(text, engine.options.operators).readTopLevelTokens(engine.options);
  const names = tokens.filter(TypeGuards.isTagToken).map(({ name }) => name);
  return { names, nodes: names.length + tokens.filter(TypeGuards.isOutputToken).length };
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
    ? fault('filter_unknown', `There is no filter ${filter}`)
    : fault('syntax', `It is not Liquid: ${line.slice(0, 200) || 'it cannot be read'}`);
}
