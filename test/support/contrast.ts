import type { Page } from 'playwright-core';

export type Faint = { text: string; ratio: number; color: string; ground: string };

/**
 * The texts of a page whose contrast with what lies behind them is below `least`, by WCAG 2: of every element that shows text, its
 * colour and the grounds of all it stands in, as they are computed, laid over each other. What is disabled is exempt.
 */
export const faintTexts = (page: Page, least: number) => page.evaluate<Faint[]>(`(${script})(${least})`);

/** How many texts there are to look at: a page that shows none proves nothing. */
export const shownTexts = (page: Page) => page.evaluate<number>(`(${script})(99).length`);

/** Runs in the page. */
const script = `(least) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((top, index) => top * a + under[index] * (1 - a));
  const pathOf = (element) => (element ? [...pathOf(element.parentElement), element] : []);
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const page = matchMedia('(prefers-color-scheme: dark)').matches && scheme.includes('dark') ? [18, 18, 18] : [255, 255, 255];
  const groundOf = (element) =>
    pathOf(element).reduce((under, one) => over(parse(getComputedStyle(one).backgroundColor), under), page);
  const light = (color) => {
    const [r, g, b] = color.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratioOf = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getClientRects().length > 0 && !element.closest('.unseen, :disabled, [aria-hidden=true]');
  const found = [];
  const look = (element, style, text) => {
    const ground = groundOf(element);
    const opacity = pathOf(element).reduce((whole, one) => whole * Number(getComputedStyle(one).opacity), 1) * Number(style.opacity) /
      Number(getComputedStyle(element).opacity);
    const [r, g, b, a] = parse(style.color);
    const ratio = ratioOf(over([r, g, b, a * opacity], ground), ground);
    if (ratio < least) found.push({ text: text.trim().slice(0, 60), ratio: Math.round(ratio * 100) / 100, color: style.color, ground: ground.map(Math.round).join() });
  };
  for (const element of document.body.querySelectorAll('*')) {
    if (!isShown(element)) continue;
    const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join('');
    const shown = text.trim() || element.value || '';
    if (shown) look(element, getComputedStyle(element), shown);
    else if (element.placeholder) look(element, getComputedStyle(element, '::placeholder'), element.placeholder);
  }
  return found;
}`;
