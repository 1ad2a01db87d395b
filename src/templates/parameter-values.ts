import type { Path } from '../platform/errors.ts';
import { type Json, object, textOf } from '../providers/messaging-app/json.ts';
import type { Fault } from './faults.ts';
import { brokenLine, maxLink } from './limits.ts';

/** Values that the provider formats for the reader's country. Where it cannot, it shows `fallback_value`. */
const formatted: Record<string, string[]> = {
  currency: ['fallback_value', 'code', 'amount_1000'],
  date_time: ['fallback_value'],
};

/** What fills a placeholder of a text. */
export function textFaults(parameter: Json, at: Path): Fault[] {
  const type = textOf(parameter.type);
  if (type === 'text') {
    const path = [...at, 'text'];
    if (typeof parameter.text !== 'string' || parameter.text === '')
      return [{ path, code: 'template.parameter_empty', message: 'A parameter of type text needs its text' }];
    return brokenLine.test(parameter.text)
      ? [
          {
            path,
            code: 'template.parameter_line',
            message: 'A parameter has no line break, no tab and no more than 4 spaces in a row',
          },
        ]
      : [];
  }
  const needed = formatted[type];
  if (!needed)
    return [
      {
        path: [...at, 'type'],
        code: 'template.parameter_type',
        message: 'A parameter of a text must be of type text, currency or date_time',
      },
    ];
  const value = object(parameter[type]);
  return needed
    .filter((name) => textOf(value[name]) === '')
    .map((name) => ({
      path: [...at, type, name],
      code: 'template.parameter_empty',
      message: `A parameter of type ${type} needs ${name}`,
    }));
}

/** What a reader sees of it. */
export const shownText = (parameter: Json): string =>
  parameter.type === 'text' ? textOf(parameter.text) : textOf(object(parameter[textOf(parameter.type)]).fallback_value);

const isAddress = (link: string) => link.length <= maxLink && /^https?:\/\//i.test(link) && URL.canParse(link);
const files = ['image', 'video', 'document'];

/** The header's picture, video, document or place. */
export function mediaFaults(kind: string, parameter: Json, at: Path): Fault[] {
  const type = textOf(parameter.type);
  if (type !== kind)
    return [
      {
        path: [...at, 'type'],
        code: 'template.header_kind',
        message: `The header takes a parameter of type ${kind}, not ${type || 'none'}`,
      },
    ];
  const value = object(parameter[kind]);
  const lacks = (message: string): Fault[] => [{ path: [...at, kind], code: 'template.parameter_empty', message }];
  if (files.includes(kind)) {
    if ([value.id, value.link, value.asset_id].filter(textOf).length !== 1)
      return lacks(`The ${kind} of the header needs exactly one of id, link and asset_id`);
    const link = textOf(value.link);
    return link === '' || isAddress(link)
      ? []
      : [
          {
            path: [...at, kind, 'link'],
            code: 'template.parameter_link',
            message: `The link must be a whole http or https address of at most ${maxLink} characters`,
          },
        ];
  }
  if (kind === 'location' && (textOf(value.latitude) === '' || textOf(value.longitude) === ''))
    return lacks('The location of the header needs latitude and longitude');
  return Object.keys(value).length === 0 ? lacks(`The header needs its ${kind}`) : [];
}

export function shownMedia(kind: string, parameter: Json): string {
  const value = object(parameter[kind]);
  if (kind === 'location')
    return [value.name, value.address, `${textOf(value.latitude)}, ${textOf(value.longitude)}`]
      .map(textOf)
      .filter(Boolean)
      .join('\n');
  return textOf(value.filename) || textOf(value.link) || textOf(value.id) || textOf(value.asset_id);
}
