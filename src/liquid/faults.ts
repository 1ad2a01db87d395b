import type { Path } from '../platform/errors.ts';
import { checkText } from './check-text.ts';
import { maxDepth, maxTogether } from './limits.ts';
import { isLiquid } from './parse.ts';
import type { Variables } from './variables.ts';

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
