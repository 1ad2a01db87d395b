/** One place where a screen reader listens, there from the start; what is said is seen there too. */
export function announce(text) {
  const place = document.getElementById('said');
  if (place) place.textContent = text;
}
