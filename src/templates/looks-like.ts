import { type Json, textOf } from '../providers/messaging-app/json.ts';
import { buttonsOf, cardsOf, list, partOf, wordOf } from './components.ts';

/** What a person reads of it. The provider adds what it works out itself, and writes the words of a code to log in with. */
export function looksLike(ours: unknown[], theirs: unknown[]): boolean {
  return (
    ['HEADER', 'BODY', 'FOOTER'].every((type) => isSamePart(partOf(ours, type), partOf(theirs, type))) &&
    areAlike(buttonsOf(ours), buttonsOf(theirs), isSameButton) &&
    areAlike(cardsOf(ours), cardsOf(theirs), (our, their) => looksLike(list(our.components), list(their.components)))
  );
}

const areAlike = (ours: Json[], theirs: Json[], isSame: (our: Json, their: Json) => boolean) =>
  ours.length === theirs.length && ours.every((our, index) => isSame(our, theirs[index]!));

/** Of what we left out the provider may have made something. */
const isSameText = (our: unknown, their: unknown) => textOf(our) === '' || textOf(our) === textOf(their);

const isSamePart = (our: Json | undefined, their: Json | undefined) =>
  our === undefined || their === undefined
    ? our === their
    : wordOf(our.format) === wordOf(their.format) && isSameText(our.text, their.text);

const isSameButton = (our: Json, their: Json) =>
  ['text', 'url', 'phone_number'].every((name) => isSameText(our[name], their[name]));
