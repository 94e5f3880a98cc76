// Plays the films of the gallery: while they are in view, unless the reader prefers no motion or pauses them.
(() => {
  "use strict";
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const duration = 4000, rest = 900;

  for (const card of document.querySelectorAll(".card")) {
    const data = card.querySelector("script[type='application/json']");
    if (!data) continue;
    const button = card.querySelector("button");
    const panels = JSON.parse(data.textContent);
    const bodies = [...card.querySelectorAll("svg.film > svg")].map((panel) => [...panel.querySelectorAll(".moves")]);
    let wanted = !still.matches, visible = false, begin = null, running = false;

    function show(share) {
      panels.forEach((frames, panel) => {
        const at = share * (frames.length - 1), index = Math.min(Math.floor(at), frames.length - 2), part = at - index;
        const mix = (k) => frames[index][k] + part * (frames[index + 1][k] - frames[index][k]);
        bodies[panel].forEach((body, k) => {
          body.setAttribute("transform", `translate(${mix(3 * k).toFixed(1)} ${mix(3 * k + 1).toFixed(1)}) rotate(${mix(3 * k + 2).toFixed(1)})`);
        });
      });
    }

    function tick(clock) {
      if (!wanted || !visible) { running = false; return; }
      begin ??= clock;
      const time = (clock - begin) % (duration + rest);
      show(Math.min(1, time / duration));
      requestAnimationFrame(tick);
    }

    function update() {
      button.textContent = wanted ? "Pause" : "Play";
      button.setAttribute("aria-label", `${button.textContent}: ${card.querySelector("h2").textContent}`);
      if (wanted && visible && !running) { running = true; begin = null; requestAnimationFrame(tick); }
      if (!wanted) show(1);
    }

    button.hidden = false;
    button.addEventListener("click", () => { wanted = !wanted; update(); });
    card.querySelector("svg.film").addEventListener("pointerenter", () => { if (!still.matches) { wanted = true; update(); } });
    still.addEventListener("change", () => { wanted = !still.matches; update(); });
    new IntersectionObserver(([entry]) => { visible = entry.isIntersecting; update(); }, { threshold: 0.4 }).observe(card);
    addEventListener("beforeprint", () => show(1));
    update();
  }
})();
