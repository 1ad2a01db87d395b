/** Which side's document changed since the last exchange. `agreed`: both, in the same way. */
export type Changed = 'nothing' | 'ours' | 'theirs' | 'both' | 'agreed';

export type Hashes = {
  /** Of our document, and of ours as the provider got it last. */
  local: string;
  pushed: string | null;
  /** Of what the provider gave back then: it may have written ours otherwise. And of what it has at present. */
  base: string | null;
  remote: string | null;
};

/** null: there is no document, or was none. */
export function changedIn({ local, pushed, base, remote }: Hashes): Changed {
  const [isOurs, isTheirs] = [local !== pushed, remote !== base];
  if (isTheirs && remote === local) return 'agreed';
  if (isOurs && isTheirs) return 'both';
  if (isTheirs) return 'theirs';
  return isOurs ? 'ours' : 'nothing';
}

export const driftOf = (remote: string | null) => ({
  detected_at: new Date().toISOString(),
  provider_sha256: remote ?? '',
});
