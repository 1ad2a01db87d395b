import { checkText } from '../../liquid/faults.ts';
import { maxTogether as maxMessage } from '../../liquid/limits.ts';
import { isLiquid, type Parsed, type TextFault } from '../../liquid/parse.ts';
import { fieldOf, type Path } from '../../platform/errors.ts';
import type { Fault } from '../../templates/faults.ts';
import type { TemplateChoice, Variant } from '../campaign.entity.ts';
import { maxCampaign, maxDepth } from './limits.ts';
import { variables } from './scope.ts';

/** A Liquid text in its place among the components. `at`: from there on. */
export class Text {
  readonly key: string;
  readonly at: string;
  readonly parsed: Parsed | TextFault;

  constructor(key: string, at: string, parsed: Parsed | TextFault) {
    this.key = key;
    this.at = at;
    this.parsed = parsed;
  }
}

/** `components`: as given, with a `Text` for each text that is Liquid. */
export type CompiledTemplate = { name: string; language: string; components: unknown[] };
export type CompiledVariant = { id: string; weight: number; templates: CompiledTemplate[] };
/** `characters`: of all Liquid texts. A text with a fault is refused when saved; rendered all the same, it fails. */
export type Compiled = { variants: CompiledVariant[]; faults: Fault[]; characters: number };

type Count = { characters: number; texts: number; nodes: number };
type Place = { path: Path; inMessage: Path; isParameter: boolean; depth: number };

/** They say how to read a parameter, and are never its value. */
const structural = ['type', 'parameter_name'];

/** Parses each text once. Never throws: what is wrong is in `faults`, with its path from `variants` on. */
export function compile(variants: Variant[]): Compiled {
  const faults: Fault[] = [];
  let characters = 0;

  const compiled = variants.map(({ id, weight, templates }, variantIndex) => ({
    id,
    weight,
    templates: templates.map((template, index) => {
      const path = ['variants', variantIndex, 'templates', index, 'components'];
      return compileTemplate(id, template, path);
    }),
  }));
  return { variants: compiled, faults, characters };

  function compileTemplate(id: string, { name, language, components = [] }: TemplateChoice, path: Path): CompiledTemplate {
    const count: Count = { characters: 0, texts: 0, nodes: 0 };
    const start = { path, inMessage: ['components'], isParameter: false, depth: 0 };
    return { name, language, components: components.map((one, index) => walk(one, String(index), inside(start, index))) };

    function walk(value: unknown, key: string, place: Place): unknown {
      if (typeof value === 'string') return isLiquid(value) ? textAt(value, key, place) : value;
      if (value === null || typeof value !== 'object') return value;
      if (place.depth > maxDepth) {
        say({ code: 'liquid.too_deep', message: `A parameter is at most ${maxDepth} deep` }, place);
        return null;
      }
      if (Array.isArray(value)) return value.map((one, index) => walk(one, key, inside(place, index)));
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name, inside(place, name))]));
    }

    function textAt(text: string, key: string, place: Place): Text {
      const parsed = parsedAt(text, key, place);
      if ('code' in parsed) say(parsed, place);
      return new Text(key, fieldOf(place.inMessage), parsed);
    }

    function parsedAt(text: string, key: string, place: Place): Parsed | TextFault {
      if (!place.isParameter || structural.includes(key))
        return { code: 'liquid.place', message: `Liquid stands only in values of parameters, not in ${key}` };
      characters += text.length;
      count.characters += text.length;
      count.texts++;
      if (characters > maxCampaign) return tooMany(`All Liquid of a campaign has at most ${maxCampaign} characters`);
      if (count.characters > maxMessage.characters)
        return tooMany(`The Liquid of a message has at most ${maxMessage.characters} characters`);
      if (count.texts > maxMessage.texts) return tooMany(`A message has at most ${maxMessage.texts} Liquid texts`);
      const parsed = checkText(text, { of: 'a message', variables, nodesLeft: maxMessage.nodes - count.nodes });
      if ('nodes' in parsed) count.nodes += parsed.nodes;
      return parsed;
    }

    function say({ code, message }: TextFault, place: Place) {
      faults.push({ path: place.path, code, message: `Variant ${id}, ${language}, ${fieldOf(place.inMessage)}: ${message}` });
    }
  }
}

const tooMany = (message: string): TextFault => ({ code: 'liquid.too_many', message });

const inside = (place: Place, step: string | number): Place => ({
  path: [...place.path, step],
  inMessage: [...place.inMessage, step],
  isParameter: place.isParameter || step === 'parameters',
  depth: place.depth + 1,
});

/** The components with a value for each text. */
export function filled(components: unknown[], textOf: (text: Text) => string): unknown[] {
  return components.map(fill);

  function fill(value: unknown): unknown {
    if (value instanceof Text) return textOf(value);
    if (Array.isArray(value)) return value.map(fill);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one)]));
  }
}
