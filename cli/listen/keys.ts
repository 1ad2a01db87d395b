import type { ReadStream } from 'node:tty';

export type Keys = Record<string, () => void>;
type Input = Pick<ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;

const ctrlC = '\u0003';
const ctrlD = '\u0004';

/** Runs what a key stands for; Ctrl-C and Ctrl-D are `quit`. Without a terminal it reads nothing. Returns what ends it. */
export function watchKeys(input: Input, keys: Keys, quit: () => void): () => void {
  if (!input.isTTY) return () => undefined;
  const all: Keys = { ...keys, [ctrlC]: quit, [ctrlD]: quit };
  const onData = (data: Buffer) => {
    for (const key of data.toString('utf8')) all[key]?.();
  };
  // Raw, so that a key counts without Enter; the terminal then sends Ctrl-C as a character.
  input.setRawMode(true);
  input.resume();
  input.on('data', onData);
  return () => {
    input.off('data', onData);
    input.setRawMode(false);
    input.pause();
  };
}
