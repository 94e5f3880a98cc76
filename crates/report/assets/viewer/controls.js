  // ── controls ───────────────────────────────────────────────────────────────────────────────────
  const slider = $("slider"), play = $("play");
  slider.min = begin;
  slider.max = end;

  function draw() {
    if (stage) stage.render(state.shown);
    slider.value = state.time;
    $("time").textContent = `${number(Number(state.time.toFixed(6)))} s`;
    cursors.forEach((move) => move());
    drawContacts();
  }

  function setTime(time) {
    state.time = Math.min(end, Math.max(begin, time));
    state.held = [];
    draw();
  }

  function setPlaying(playing) {
    state.playing = playing;
    if (playing && state.time >= end) state.time = begin;
    play.textContent = playing ? "❚❚" : "▶";
    state.clock = null;
    state.held = [];
    if (playing) requestAnimationFrame(tick); else draw();
  }

  function tick(clock) {
    if (!state.playing) return;
    const before = state.time;
    const pace = Number($("speed").value);
    state.time = Math.min(end, before + pace * (clock - (state.clock ?? clock)) / 1000);
    state.clock = clock;
    hold(before, state.time, clock);
    draw();
    if (state.time < end || state.held.length) requestAnimationFrame(tick);
    else if (recorder) recorder.stop();
    else setPlaying(false);
  }

  // Shows or hides a law; of the samples of a set one is shown beside the laws.
  function choose(index) {
    const isSample = motion(index).sample !== null;
    if (state.shown.includes(index)) {
      if (state.shown.length > 1) state.shown = state.shown.filter((shown) => shown !== index);
    } else {
      const others = isSample ? state.shown.filter((shown) => motion(shown).sample === null) : state.shown;
      state.shown = [...others.slice(0, largestChoice - 1), index];
    }
    show();
  }

  function show() {
    const buttons = laws.map((index) => {
      const button = element("button", { type: "button", "aria-pressed": state.shown.includes(index) }, motion(index).name);
      button.addEventListener("click", () => choose(index));
      return button;
    });
    $("choice").replaceChildren(...(buttons.length > 1 ? buttons : []));
    tableKey = "";
    drawSets();
    drawCharts();
    draw();
  }

  slider.addEventListener("input", () => { if (state.playing) setPlaying(false); setTime(Number(slider.value)); });
  play.addEventListener("click", () => setPlaying(!state.playing));
  $("home").addEventListener("click", () => { if (stage) stage.home(); });
  document.addEventListener("keydown", (event) => {
    if (["INPUT", "SELECT", "BUTTON"].includes(event.target.tagName)) return;
    if (event.key === " ") { event.preventDefault(); setPlaying(!state.playing); }
  });
  new ResizeObserver(() => draw()).observe($("stage"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (stage) stage.recolor(); draw(); });

  // A pace that plays the whole motion in some ten seconds.
  const paces = [...$("speed").options].map((option) => Number(option.value));
  const wanted = (end - begin) / 10;
  $("speed").value = String(paces.reduce((best, pace) => Math.abs(Math.log(pace / wanted)) < Math.abs(Math.log(best / wanted)) ? pace : best, 1));
  $("hint").hidden = !view.sets.length;
  $("legend").hidden = !view.contacts.length;
  $("arrows").addEventListener("change", ({ target }) => { state.arrows = target.value; draw(); });
  $("ghost").append(...laws.map((index) => element("option", { value: index }, motion(index).name)));
  $("ghost").addEventListener("change", ({ target }) => { state.ghost = target.value === "" ? null : Number(target.value); draw(); });
  $("ghosts").hidden = granular || laws.length < 2;
  $("more").hidden = !stage;
  $("picture").addEventListener("click", savePicture);
  $("video").addEventListener("click", record);
  $("link").addEventListener("click", link);
  addEventListener("hashchange", () => { openAddress(); show(); });
  openAddress();
  show();
  if (stage) stage.controls.addEventListener("change", () => draw());
  document.documentElement.dataset.ready = "yes";
})();
