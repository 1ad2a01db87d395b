import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openapiDocument } from '../api/openapi.ts';

const file = join(import.meta.dirname, '..', 'openapi.json');

export async function openapi({ write }: { write?: boolean }) {
  const text = `${JSON.stringify(openapiDocument(), null, 2)}\n`;
  if (!write) return void process.stdout.write(text);
  await writeFile(file, text);
  console.log('openapi.json written');
}
