/** Up to here the engine's own search is linear enough: it knows the last 250 characters of what it looks for. */
const usualLength = 250;

/** As `whole.includes(part)`, which takes 30 ms where 4,000 characters nearly fit at each place of 16,000. In one pass (Knuth, Morris and Pratt). */
export function includesText(whole: string, part: string): boolean {
  if (part.length <= usualLength || part.length > whole.length) return whole.includes(part);
  const backTo = fallbacksOf(part);
  let fitting = 0;
  for (let at = 0; at < whole.length; at += 1) {
    const unit = whole.charCodeAt(at);
    while (fitting > 0 && unit !== part.charCodeAt(fitting)) fitting = backTo[fitting - 1]!;
    if (unit === part.charCodeAt(fitting)) fitting += 1;
    if (fitting === part.length) return true;
  }
  return false;
}

/** Of each beginning of the text, how long its longest end is that is a beginning too. */
export function fallbacksOf(part: string): Uint32Array {
  const backTo = new Uint32Array(part.length);
  let fitting = 0;
  for (let at = 1; at < part.length; at += 1) {
    const unit = part.charCodeAt(at);
    while (fitting > 0 && unit !== part.charCodeAt(fitting)) fitting = backTo[fitting - 1]!;
    if (unit === part.charCodeAt(fitting)) fitting += 1;
    backTo[at] = fitting;
  }
  return backTo;
}
