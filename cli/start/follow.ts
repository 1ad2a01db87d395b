import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

const everyMs = 100;

/** Passes on each line that a growing file gets from now on; `end` reads the rest and stops. */
export function follow(path: string, onLine: (line: string) => void): { end(): void } {
  const file = openSync(path, 'a+', 0o600);
  const buffer = Buffer.alloc(64 * 1024);
  const decoder = new StringDecoder('utf8');
  let [position, rest] = [fstatSync(file).size, ''];
  const read = () => {
    for (let size = 1; size > 0; position += size) {
      size = readSync(file, buffer, 0, buffer.length, position);
      const lines = (rest + decoder.write(buffer.subarray(0, size))).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    }
  };
  const timer = setInterval(read, everyMs);
  return {
    end() {
      clearInterval(timer);
      read();
      closeSync(file);
    },
  };
}
