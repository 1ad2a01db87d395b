import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../../openapi.json');

type Document = { servers: { url: string }[] };

/**
 * The document that `npm run openapi` wrote: a process that made it from the endpoints spent as long on it as on the rest of its start.
 * test/openapi.test.ts compares the file with the endpoints. Read at first use, then kept.
 */
export function publishedDocument(publicUrl?: string): () => Promise<string> {
  let reading: Promise<string> | undefined;
  return async () => {
    reading ??= read(publicUrl);
    try {
      return await reading;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  };
}

async function read(publicUrl?: string): Promise<string> {
  const text = (await readFile(file, 'utf8')).trimEnd();
  if (publicUrl === undefined) return text;
  return JSON.stringify({ ...(JSON.parse(text) as Document), servers: [{ url: publicUrl }] }, null, 2);
}
