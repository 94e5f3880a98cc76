  // ── pictures, videos and links ────────────────────────────────────────────────────────────────────
  const tell = (words) => { $("told").textContent = words; };

  function save(blob, ending) {
    const address = URL.createObjectURL(blob);
    const name = view.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "motion";
    element("a", { href: address, download: `${name}.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    tell(`saved ${name}.${ending}`);
  }

  function savePicture() {
    // The canvas has a picture only right after it is drawn.
    draw();
    stage.canvas.toBlob((blob) => { if (blob) save(blob, "png"); else tell("this browser saves no pictures"); });
  }

  // Plays the motion from its start and keeps what is drawn, until it ends or the button is pressed again.
  let recorder = null;

  function record() {
    if (recorder) { recorder.stop(); return; }
    if (!stage.canvas.captureStream || !window.MediaRecorder) { tell("this browser records no videos"); return; }
    const parts = [];
    recorder = new MediaRecorder(stage.canvas.captureStream(30), { mimeType: "video/webm" });
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    recorder.addEventListener("stop", () => {
      recorder = null;
      $("video").textContent = "record video";
      setPlaying(false);
      save(new Blob(parts, { type: "video/webm" }), "webm");
    });
    $("video").textContent = "stop recording";
    tell("records at the chosen speed");
    setTime(begin);
    recorder.start();
    setPlaying(true);
  }

  // The time, the motions and the place of the eye, in the part of the address after #.
  function addressOfView() {
    const { camera, controls } = stage;
    const list = (numbers) => numbers.map((value) => Number(value.toPrecision(6))).join();
    const parts = { time: Number(state.time.toPrecision(9)), eye: list(camera.position.toArray()), at: list(controls.target.toArray()), zoom: Number(camera.zoom.toPrecision(6)), shown: state.shown.join(), ...(state.ghost === null ? {} : { ghost: state.ghost }) };
    return Object.entries(parts).map(([key, value]) => `${key}=${value}`).join("&");
  }

  function openAddress() {
    const parts = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    const numbers = (key, count) => {
      const list = (parts[key] ?? "").split(",").map(Number);
      return parts[key] && list.length >= count && list.every(Number.isFinite) ? list : null;
    };
    const shown = numbers("shown", 1)?.filter((index) => view.motions[index]);
    if (shown?.length) state.shown = [...new Set(shown)].slice(0, largestChoice);
    const [ghost] = numbers("ghost", 1) ?? [];
    state.ghost = laws.includes(ghost) ? ghost : null;
    $("ghost").value = state.ghost ?? "";
    const [time] = numbers("time", 1) ?? [];
    if (time !== undefined) state.time = Math.min(end, Math.max(begin, time));
    const [eye, at, zoom] = [numbers("eye", 3), numbers("at", 3), numbers("zoom", 1)];
    if (stage && eye && at) {
      stage.camera.position.set(...eye);
      stage.controls.target.set(...at);
      if (zoom?.[0] > 0) stage.camera.zoom = zoom[0];
      stage.controls.update();
    }
  }

  function link() {
    history.replaceState(null, "", `#${addressOfView()}`);
    const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject();
    copied.then(() => tell("the address is copied"), () => tell("the address of this page has the view"));
  }
