import type { Page } from 'playwright-core';

// Tests have no types of a page's document, so what runs in it is text.
const LAYOUT = String.raw`(async () => {
  // Once charts and pictures have followed the window.
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  const flaws = [];
  const nameOf = (element) => [element.tagName, element.className, element.textContent.slice(0, 30)].join(' ');
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    flaws.push('scrolls sideways: ' + wide.slice(0, 3).map(nameOf).join(' | '));
  }
  for (const frame of document.querySelectorAll('.table-frame'))
    if (frame.scrollWidth > frame.clientWidth + 1)
      flaws.push('a table scrolls sideways: ' + frame.querySelector('caption').textContent);
  const boxes = [];
  const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent.trim();
    // What floats above the page lies over it.
    if (text === '' || element.closest('.away, option, datalist, [popover], .step-buttons') !== null) continue;
    if (/[\u0590-\u08FF]/.test(text) && !text.includes('\u2068') && element.closest('bdi, [dir=auto]') === null)
      flaws.push('turns its neighbours: ' + nameOf(element));
    const clip = clipOf(element);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const box = { text, element, ...insideOf(rect, clip) };
      if (box.right - box.left > 2 && box.bottom - box.top > 2) boxes.push(box);
    }
  }
  boxes.sort((one, other) => one.top - other.top);
  for (const [at, one] of boxes.entries()) {
    for (const other of boxes.slice(at + 1)) {
      // Lines of text may touch.
      if (other.top > one.bottom - 6) break;
      if (other.element === one.element || one.right < other.left + 3 || other.right < one.left + 3) continue;
      flaws.push('overlap: ' + one.text.slice(0, 40) + ' | ' + other.text.slice(0, 40));
    }
  }
  return [...new Set(flaws)].slice(0, 8);

  function clipOf(element) {
    let clip = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
    for (let around = element; around !== document.body; around = around.parentElement)
      if (getComputedStyle(around).overflow !== 'visible') clip = insideOf(around.getBoundingClientRect(), clip);
    return clip;
  }

  function insideOf(rect, clip) {
    return {
      left: Math.max(rect.left, clip.left),
      right: Math.min(rect.right, clip.right),
      top: Math.max(rect.top, clip.top),
      bottom: Math.min(rect.bottom, clip.bottom),
    };
  }
})()`;

/** Texts that lie over each other, names whose direction reaches their neighbours, and whether the page or a table scrolls sideways. */
export const flawsOfLayout = async (page: Page): Promise<string[]> => (await page.evaluate(LAYOUT)) as string[];
