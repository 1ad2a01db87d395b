import type Joi from 'joi';
import { configSchema, startSchema } from '../src/config.ts';

type Variable = { flags?: { default?: unknown; presence?: string; description?: string } };

export function showConfig() {
  console.log(tableOf(configSchema));
  console.log(`\nRead by \`npm start\` alone:\n${tableOf(startSchema, Object.keys(variablesOf(configSchema)))}`);
}

const variablesOf = (schema: Joi.ObjectSchema) => schema.describe().keys as Record<string, Variable>;

function tableOf(schema: Joi.ObjectSchema, without: string[] = []): string {
  const rows = Object.entries(variablesOf(schema))
    .filter(([name]) => !without.includes(name))
    .map(([name, { flags = {} }]) => [name, defaultOf(flags), flags.description ?? '']);
  const all = [['variable', 'default', 'description'], ...rows];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

function defaultOf({ default: value, presence }: NonNullable<Variable['flags']>): string {
  if (presence === 'required') return 'required';
  return value === undefined || value === '' ? '-' : String(value);
}
