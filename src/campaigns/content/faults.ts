import { fieldOf, type Path } from '../../platform/errors.ts';
import { type Fault, throwFaults } from '../../templates/faults.ts';
import { parameterFaults } from '../../templates/parameters.ts';
import type { Variant } from '../campaign.entity.ts';
import { type Compiled, type CompiledTemplate, type CompiledVariant, compile, filled, type Text } from './compile.ts';
import type { TemplateOf } from './template-row.ts';

/** `name`: stands in the faults where there are more than one. */
export type ContentChannel = { name: string; templateOf: TemplateOf };

/** All that is wrong with a content, for one channel. Paths begin with `variants`. */
export const contentFaults = (variants: Variant[], templateOf: TemplateOf): Fault[] =>
  contentFaultsOn(variants, [{ name: '', templateOf }]);

/** For each of its channels, whose templates may differ. */
export function contentFaultsOn(variants: Variant[], channels: ContentChannel[]): Fault[] {
  const compiled = compile(variants);
  return [
    ...variantFaults(variants),
    ...compiled.faults,
    ...channels.flatMap(({ name, templateOf }) =>
      templateFaults(compiled, templateOf, channels.length > 1 ? ` (channel ${name})` : ''),
    ),
  ];
}

/** A 422: `template_unknown` where that is all that is wrong. */
export function throwContentFaults(faults: Fault[]): void {
  throwFaults(faults, faults.every(({ code }) => code === 'template_unknown') ? 'template_unknown' : 'invalid_request');
}

function variantFaults(variants: Variant[]): Fault[] {
  const faults: Fault[] = [];
  if (!variants.some(({ weight }) => weight > 0))
    faults.push({ path: ['variants'], code: 'content.weight', message: 'At least one variant needs a weight above 0' });
  for (const [index, { id, weight, templates }] of variants.entries()) {
    const say = (path: Path, code: string, message: string) => faults.push({ path: ['variants', index, ...path], code, message });
    if (variants.findIndex((one) => one.id === id) < index)
      say(['id'], 'content.variant_twice', `The variant ${id} is given twice`);
    if (!Number.isInteger(weight) || weight < 0 || weight > 1_000)
      say(['weight'], 'content.weight', `Variant ${id}: a weight is a whole number from 0 to 1000`);
    if (templates.length === 0) say(['templates'], 'content.template_missing', `Variant ${id} needs a template`);
    for (const [place, { language }] of templates.entries())
      if (templates.findIndex((one) => one.language === language) < place)
        say(['templates', place, 'language'], 'content.language_twice', `Variant ${id} has two templates in ${language}`);
  }
  return faults;
}

/** Unknown, not approved, or with other parameters than the texts fill. */
export function templateFaults({ variants }: Pick<Compiled, 'variants'>, templateOf: TemplateOf, channel: string): Fault[] {
  return variants.flatMap((variant, index) =>
    variant.templates.flatMap((template, place) => faultsOf(variant, template, ['variants', index, 'templates', place])),
  );

  function faultsOf({ id }: CompiledVariant, template: CompiledTemplate, at: Path): Fault[] {
    const { name, language, components } = template;
    const start = `Variant ${id}, ${language}`;
    const unknown = (message: string): Fault[] => [
      { path: [...at, 'name'], code: 'template_unknown', message: `${start}: ${message}${channel}` },
    ];
    const row = templateOf(name, language);
    if (!row) return unknown(`there is no template ${name} in this language`);
    if (row.status !== 'approved') return unknown(`the template ${name} cannot be sent: it is ${row.status}`);
    // Not known: every template has a body.
    if (row.components.length === 0) return [];
    const within = [...at, 'components'];
    return parameterFaults(row, filled(components, standIn), within).map(({ path, code, message }) => ({
      path,
      code,
      message: `${start}, ${fieldOf(path.slice(at.length))}: ${message}${channel}`,
    }));
  }
}

/** A text that is rendered later counts as one that is there. */
const standIn = ({ key }: Text) => (key === 'link' ? 'https://example.com/' : 'x');
