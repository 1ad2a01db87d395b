import { readdirSync } from 'node:fs';

/** The migrations of this code, in their order: the files of this folder that begin with a time. */
export const migrationNames = (): string[] =>
  readdirSync(import.meta.dirname)
    .filter((file) => /^\d{14}-.+\.ts$/.test(file))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
