// What a page shows, measured in the page itself: `measure.py` evaluates this function and gets its findings.
(() => {
  "use strict";
  const found = [];
  const width = document.documentElement.clientWidth;
  const rootOf = (element) => element.closest("svg") ? outermost(element) : null;
  const styles = new Map();
  const style = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };

  function outermost(element) {
    let svg = element.closest("svg");
    while (svg.parentElement?.closest("svg")) svg = svg.parentElement.closest("svg");
    return svg;
  }

  // The element as a reader of the table finds it: its name, where it is, and its first words.
  function name(element) {
    const own = (e) => e.tagName.toLowerCase() + (e.id ? `#${e.id}` : e.classList.length ? `.${[...e.classList].join(".")}` : "");
    const place = element.parentElement?.closest("[id], figure, section, article, nav, header, main");
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
    return `${place ? `${own(place)} ` : ""}${own(element)}${text ? ` "${text}"` : ""}`;
  }

  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  // ── overflow: wider than the window, outside of what scrolls or cuts ───────────────────────────────
  const clips = new Map();
  // The part of the page in which the contents of `element` can be seen or scrolled to.
  function clip(element) {
    if (!element || element === document.documentElement || element === document.body) return null;
    if (clips.has(element)) return clips.get(element);
    const parent = clip(element.parentElement);
    let own = parent;
    const isInline = style(element).display === "inline";
    const isDrawing = element.tagName.toLowerCase() === "svg";
    if (!isInline && (style(element).overflowX !== "visible" || isDrawing)) {
      const box = element.getBoundingClientRect();
      const scrolls = ["auto", "scroll"].includes(style(element).overflowX);
      own = { box, scrolls, parent, element };
    }
    clips.set(element, own);
    return own;
  }

  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest("svg, math")?.parentElement?.closest("svg, math")) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || clip(element.parentElement) || !isShown(element)) continue;
    // What lies wholly left of the page cannot be reached: it is hidden there.
    const sticksOut = box.right > width + 0.5 || (box.left < -0.5 && box.right > 0.5);
    const byChild = [...element.children].some((child) => child.getBoundingClientRect().right > width + 0.5);
    if (sticksOut && !byChild) found.push({ check: "overflow", element: name(element), detail: `from ${Math.round(box.left)} to ${Math.round(box.right)} px` });
  }
  const whole = document.scrollingElement.scrollWidth;
  if (whole > width) found.push({ check: "overflow", element: "the page", detail: `${whole} px wide` });

  // ── text: overlaps with other text, and what is cut off ────────────────────────────────────────────
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT", "TITLE", "DESC"].includes(parent.tagName.toUpperCase())) continue;
    if (parent.closest("option") || !isShown(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const matrix = parent.getScreenCTM?.();
    const isTurned = Boolean(matrix && Math.abs(matrix.b) > Math.abs(matrix.a));
    const frame = clip(parent);
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      if (!frame?.scrolls && frame) {
        const outside = Math.max(frame.box.left - box.left, box.right - frame.box.right, frame.box.top - box.top, box.bottom - frame.box.bottom);
        // A line of an ellipsis, or text for readers of the screen only, is cut on purpose.
        const onPurpose = style(frame.element).textOverflow === "ellipsis" || frame.box.width <= 2;
        const slack = rootOf(parent) ? 1 : 0.25 * box.height;
        if (onPurpose) continue;
        if (outside > slack) { found.push({ check: "cut", element: name(parent), detail: `by ${Math.round(outside)} px` }); continue; }
      }
      let hidden = false;
      for (let outer = frame; outer; outer = outer.parent) {
        const { left, right, top, bottom } = outer.box;
        if (box.right < left + 1 || box.left > right - 1 || box.bottom < top + 1 || box.top > bottom - 1) hidden = true;
      }
      if (hidden) continue;
      // Letters fill the middle of a line: its box has room for accents above and for descenders below.
      const [inX, inY] = isTurned ? [0.18 * box.width, 0.5] : [0.5, 0.18 * box.height];
      lines.push({ parent, left: box.left + inX, right: box.right - inX, top: box.top + inY, bottom: box.bottom - inY });
    }
  }
  const isKin = (a, b) => a === b || a.contains(b) || b.contains(a) || (a.closest("math") && a.closest("math") === b.closest("math"));
  lines.sort((a, b) => a.top - b.top);
  let open = [];
  const reported = new Set();
  for (const line of lines) {
    open = open.filter((other) => other.bottom > line.top);
    for (const other of open) {
      const across = Math.min(line.right, other.right) - Math.max(line.left, other.left);
      const down = Math.min(line.bottom, other.bottom) - line.top;
      if (across <= 1 || down <= 1 || isKin(line.parent, other.parent)) continue;
      // A label above the page, such as a bar that stays when the page scrolls, hides what is below it.
      const detail = `with ${name(other.parent)}`;
      const key = name(line.parent) + detail;
      if (!reported.has(key)) found.push({ check: "overlap of text", element: name(line.parent), detail });
      reported.add(key);
    }
    open.push(line);
  }
  return { found, lines: lines.length };
})()
