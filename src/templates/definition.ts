import type { Path } from '../platform/errors.ts';
import { type Json, object, textOf } from '../providers/messaging-app/json.ts';
import { buttonFaults } from './button-rules.ts';
import { cardsOf, isNamed, list, partOf, placeholdersIn, wordOf } from './components.ts';
import { type Fault, throwFaults } from './faults.ts';

export type Definition = { category: string; components: unknown[] };

/**
 * The provider's rules that are about several parts at once; what each part looks like is in api/templates. Throws a 422 that names each
 * fault at its place in `components`.
 */
export function assertDefinition({ category, components }: Definition): void {
  const at = ['components'];
  throwFaults([
    ...twice(components, at),
    ...needed(category, components, at),
    ...partFaults(components, at),
    ...carouselFaults(category, components, at),
  ]);
}

const fault = (path: Path, message: string): Fault => ({ path, code: 'template.definition', message });

function twice(components: unknown[], at: Path): Fault[] {
  const types = components.map((component) => wordOf(object(component).type));
  return types.flatMap((type, index) =>
    types.indexOf(type) === index ? [] : [fault([...at, index, 'type'], `A template has one component of type ${type}`)],
  );
}

function needed(category: string, components: unknown[], at: Path): Fault[] {
  const body = partOf(components, 'BODY');
  if (!body) return [fault(at, 'A template needs a component of type BODY')];
  const place = [...at, components.indexOf(body)];
  if (category !== 'authentication') return body.text === undefined ? [fault([...place, 'text'], 'The body needs its text')] : [];
  const faults: Fault[] = [];
  if (body.text !== undefined)
    faults.push(fault([...place, 'text'], 'The provider writes the body of an authentication template: leave text out'));
  for (const type of ['HEADER', 'CAROUSEL', 'LIMITED_TIME_OFFER', 'CALL_PERMISSION_REQUEST'])
    if (partOf(components, type)) faults.push(fault(at, `An authentication template has no component of type ${type}`));
  if (!partOf(components, 'BUTTONS')) faults.push(fault(at, 'An authentication template needs a button of type OTP'));
  return faults;
}

function partFaults(components: unknown[], at: Path): Fault[] {
  return components.flatMap((one, index): Fault[] => {
    const component = object(one);
    const path = [...at, index];
    switch (wordOf(component.type)) {
      case 'HEADER':
        return headerFaults(component, path);
      case 'BODY':
        return bodyFaults(component, path);
      case 'FOOTER':
        return placeholdersIn(component.text).length > 0 ? [fault([...path, 'text'], 'A footer has no parameters')] : [];
      case 'BUTTONS':
        return buttonFaults(list(component.buttons).map(object), [...path, 'buttons']).map(({ path: where, message }) =>
          fault(where, message),
        );
      default:
        return [];
    }
  });
}

function headerFaults({ format, text, example }: Json, path: Path): Fault[] {
  const samples = list(object(example).header_handle).length;
  if (wordOf(format) !== 'TEXT') {
    if (text !== undefined) return [fault([...path, 'text'], 'Only a header of format TEXT has a text')];
    return ['IMAGE', 'VIDEO', 'DOCUMENT'].includes(wordOf(format)) && samples === 0
      ? [fault([...path, 'example', 'header_handle'], 'A header with a file needs a sample of it')]
      : [];
  }
  if (text === undefined) return [fault([...path, 'text'], 'A header of format TEXT needs its text')];
  const names = placeholdersIn(text);
  if (names.length > 1) return [fault([...path, 'text'], 'A header has one parameter at most')];
  const { header_text, header_text_named_params } = object(example);
  return exampleFaults({ what: 'header', names, numbered: list(header_text), named: list(header_text_named_params) }, path);
}

function bodyFaults({ text, example }: Json, path: Path): Fault[] {
  const names = placeholdersIn(text);
  const { body_text, body_text_named_params } = object(example);
  const faults = exampleFaults(
    { what: 'body', names, numbered: list(list(body_text)[0]), named: list(body_text_named_params) },
    path,
  );
  if (/^\s*\{\{|\}\}\s*$/.test(textOf(text)))
    faults.push(fault([...path, 'text'], 'The body must not begin or end with a parameter'));
  return faults;
}

type Examples = { what: string; names: string[]; numbered: unknown[]; named: unknown[] };

/** A reviewer of the provider sees the template with its examples: it refuses one without. */
function exampleFaults({ what, names, numbered, named }: Examples, path: Path): Fault[] {
  if (names.length === 0) return [];
  if (isNamed(names)) {
    if (names.some((name) => !/^[a-z_][a-z0-9_]*$/.test(name)))
      return [
        fault(
          [...path, 'text'],
          'Names of parameters have lowercase letters, digits and underscores; do not mix them with numbers',
        ),
      ];
    const given = named.map((one) => textOf(object(one).param_name));
    return names
      .filter((name) => !given.includes(name))
      .map((name) => fault([...path, 'example', `${what}_text_named_params`], `The parameter ${name} needs an example`));
  }
  const numbers = names.map(Number).sort((one, other) => one - other);
  if (numbers.some((number, index) => number !== index + 1))
    return [fault([...path, 'text'], `The parameters of the ${what} must be numbered from {{1}} without a gap`)];
  return numbered.length === names.length
    ? []
    : [
        fault(
          [...path, 'example', `${what}_text`],
          `The ${what} has ${names.length} parameters and needs as many examples, not ${numbered.length}`,
        ),
      ];
}

function carouselFaults(category: string, components: unknown[], at: Path): Fault[] {
  const index = components.findIndex((component) => wordOf(object(component).type) === 'CAROUSEL');
  const cards = cardsOf(components);
  const shapes = new Set(cards.map(shapeOf));
  const faults = cards.flatMap((card, place) => {
    const path = [...at, index, 'cards', place, 'components'];
    const parts = list(card.components);
    const header = wordOf(partOf(parts, 'HEADER')?.format);
    const wrong = ['IMAGE', 'VIDEO', 'PRODUCT'].includes(header)
      ? []
      : [fault(path, 'A card needs a header of format IMAGE, VIDEO or PRODUCT')];
    return [...wrong, ...twice(parts, path), ...partFaults(parts, path)];
  });
  if (shapes.size > 1) faults.push(fault([...at, index, 'cards'], 'All cards must have the same components and buttons'));
  if (cards.length > 0 && category !== 'marketing' && category !== 'utility')
    faults.push(fault([...at, index], 'A carousel is for marketing and utility templates'));
  return faults;
}

const shapeOf = (card: Json) =>
  list(card.components)
    .map(object)
    .map(({ type, format, buttons }) => [type, format, list(buttons).map((button) => object(button).type)].map(String).join())
    .join(';');
