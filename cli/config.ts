import type Joi from 'joi';
import { configSchema, listenSchema, startSchema } from '../src/platform/config/config.ts';
import { columns } from './columns.ts';

type Variable = { flags?: { default?: unknown; presence?: string; description?: string } };

/** `markdown` prints the tables of the README; a test compares the two. */
export function showConfig({ markdown }: { markdown?: boolean }) {
  const [all, ofStart, ofListen] = configTables(markdown ? markdownOf : columnsOf);
  console.log(`${all}\n\nRead by \`npm start\` alone:\n\n${ofStart}\n\nRead by \`webhooks listen\` alone:\n\n${ofListen}`);
}

type Row = { name: string; value: string; description: string };

export const configTables = (print: (rows: Row[]) => string = markdownOf): [all: string, ofStart: string, ofListen: string] => [
  print(rowsOf(configSchema)),
  print(rowsOf(startSchema, Object.keys(variablesOf(configSchema)))),
  print(rowsOf(listenSchema)),
];

const variablesOf = (schema: Joi.ObjectSchema) => schema.describe().keys as Record<string, Variable>;

const rowsOf = (schema: Joi.ObjectSchema, without: string[] = []): Row[] =>
  Object.entries(variablesOf(schema))
    .filter(([name]) => !without.includes(name))
    .map(([name, { flags = {} }]) => ({ name, value: defaultOf(flags), description: flags.description ?? '' }));

const columnsOf = (rows: Row[]): string =>
  columns(rows, [
    ['variable', ({ name }) => name],
    ['default', ({ value }) => value],
    ['description', ({ description }) => description],
  ]);

function markdownOf(rows: Row[]): string {
  const shown = (value: string) => (value === '-' ? '–' : value === 'required' ? value : `\`${value}\``);
  const lines = rows.map(({ name, value, description }) => `| \`${name}\` | ${shown(value)} | ${description} |`);
  return ['| Variable | Default | What it is |', '|---|---|---|', ...lines].join('\n');
}

function defaultOf({ default: value, presence }: NonNullable<Variable['flags']>): string {
  if (presence === 'required') return 'required';
  return value === undefined || value === '' ? '-' : String(value);
}
