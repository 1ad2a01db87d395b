import { type AttributeSpec, type MarkSpec, type NodeSpec, Schema } from 'prosemirror-model';
import { isAllowedLink } from './links.ts';

type Holds = (value: unknown) => boolean;

/** The message follows the attribute's path. */
const attribute = (what: string, holds: Holds, more: { default?: unknown } = {}): AttributeSpec => ({
  ...more,
  validate(value) {
    if (!holds(value)) throw new RangeError(`must be ${what}`);
  },
});
const isText =
  (max: number): Holds =>
  (value) =>
    typeof value === 'string' && value.length > 0 && value.length <= max;
const isWhole =
  (min: number, max: number): Holds =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
const textOrNull = (max: number) =>
  attribute(`a text of 1 to ${max} characters, or null`, (value) => value === null || isText(max)(value), { default: null });

const labelOf = ({ id, label }: { id?: string; label?: string | null }) => `@${label ?? id}`;

/** Named as Tiptap names them. */
const nodes: Record<string, NodeSpec> = {
  doc: { content: 'block+' },
  paragraph: { content: 'inline*', group: 'block' },
  heading: { content: 'inline*', group: 'block', attrs: { level: attribute('a whole number from 1 to 6', isWhole(1, 6)) } },
  bulletList: { content: 'listItem+', group: 'block' },
  orderedList: {
    content: 'listItem+',
    group: 'block',
    attrs: {
      start: attribute('a whole number from 0 to 1000000', isWhole(0, 1_000_000), { default: 1 }),
      type: attribute('1, a, A, i, I or null', (value) => value === null || ['1', 'a', 'A', 'i', 'I'].includes(value as string), {
        default: null,
      }),
    },
  },
  listItem: { content: 'paragraph block*' },
  taskList: { content: 'taskItem+', group: 'block' },
  taskItem: {
    content: 'paragraph block*',
    attrs: { checked: attribute('true or false', (value) => typeof value === 'boolean', { default: false }) },
  },
  blockquote: { content: 'block+', group: 'block' },
  codeBlock: { content: 'text*', marks: '', group: 'block', attrs: { language: textOrNull(50) } },
  hardBreak: { inline: true, group: 'inline', leafText: () => '\n' },
  mention: {
    inline: true,
    group: 'inline',
    attrs: {
      id: attribute('a text of 1 to 100 characters', isText(100)),
      label: textOrNull(200),
      mentionSuggestionChar: attribute('one character', isText(1), { default: '@' }),
    },
    leafText: ({ attrs }) => labelOf(attrs),
  },
  text: { group: 'inline' },
};

const marks: Record<string, MarkSpec> = {
  link: {
    attrs: {
      href: attribute('a whole http, https, mailto or tel address', (value) => typeof value === 'string' && isAllowedLink(value)),
      target: textOrNull(50),
      rel: textOrNull(100),
      class: textOrNull(100),
    },
  },
  bold: {},
  italic: {},
  strike: {},
  code: {},
};

export const schema = new Schema({ nodes, marks });
