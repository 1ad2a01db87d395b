import { maxTogether } from './limits.ts';
import { type Parsed, type TextFault, textFault } from './parse.ts';
import { parsedText } from './parsed.ts';
import { type Variables, variableFault } from './variables.ts';

/** `of`: what the text is a part of. `nodesLeft`: its tags and outputs, less those of its texts before. */
export type Whole = { of: string; variables: Variables; nodesLeft: number };

/** A text among others that are saved with it, or what is wrong with it. Never throws. */
export function checkText(text: string, { of, variables, nodesLeft }: Whole): Parsed | TextFault {
  const parsed = parsedText(text);
  if ('code' in parsed) return parsed;
  if (parsed.nodes > nodesLeft)
    return textFault('too_many', `The Liquid of ${of} has at most ${maxTogether.nodes} tags and outputs`);
  const name = variableFault(parsed.templates, variables);
  return name ? textFault('variable_unknown', name) : parsed;
}
