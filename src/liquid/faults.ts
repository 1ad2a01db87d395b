import type { Path } from '../platform/errors.ts';
import { maxDepth, maxTogether } from './limits.ts';
import { isLiquid, type Parsed, type TextFault, textFault } from './parse.ts';
import { parsedText } from './parsed.ts';
import { type Variables, variableFault } from './variables.ts';

export type LiquidFault = { path: Path; code: string; message: string };

/** All that is wrong with the Liquid of a value whose texts are rendered together (`renderValue`). `of`: what it is, for the messages. */
export function liquidFaults(value: unknown, path: Path, { of, variables }: { of: string; variables: Variables }): LiquidFault[] {
  const faults: LiquidFault[] = [];
  const count = { characters: 0, texts: 0, nodes: 0 };
  walk(value, path, 0);
  return faults;

  function walk(one: unknown, at: Path, depth: number): void {
    if (typeof one === 'string' && isLiquid(one)) check(one, at);
    if (one === null || typeof one !== 'object') return;
    if (depth > maxDepth) say(at, 'liquid.too_deep', `A value is at most ${maxDepth} deep`);
    else
      for (const [name, item] of entriesOf(one)) {
        if (typeof name === 'string' && isLiquid(name)) say(at, 'liquid.place', 'Liquid stands in values, not in names');
        walk(item, [...at, name], depth + 1);
      }
  }

  function check(text: string, at: Path): void {
    count.characters += text.length;
    count.texts++;
    const fault = faultOf(text);
    if (fault) say(at, fault.code, fault.message);
  }

  function faultOf(text: string): { code: string; message: string } | undefined {
    const { characters, texts, nodes } = maxTogether;
    if (count.characters > characters) return tooMany(`The Liquid of ${of} has at most ${characters} characters`);
    if (count.texts > texts) return tooMany(`The Liquid of ${of} is at most ${texts} texts`);
    const parsed = checkText(text, { of, variables, nodesLeft: nodes - count.nodes });
    if ('code' in parsed) return parsed;
    count.nodes += parsed.nodes;
    return undefined;
  }

  function say(at: Path, code: string, message: string): void {
    faults.push({ path: at, code, message });
  }
}

/** Of all Liquid texts of a value. */
export function liquidCharacters(value: unknown): number {
  if (typeof value === 'string') return isLiquid(value) ? value.length : 0;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + liquidCharacters(one), 0);
}

const entriesOf = (value: object): [string | number, unknown][] =>
  Array.isArray(value) ? [...value.entries()] : Object.entries(value);

const tooMany = (message: string) => ({ code: 'liquid.too_many', message });

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
