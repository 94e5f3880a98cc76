  // ── contacts ──────────────────────────────────────────────────────────────────────────────────
  // One arrow a contact, on the side of the first partner, and a dot where it touches.
  function makeArrows(scene, size) {
    const shaft = new THREE.CylinderGeometry(0.006 * size, 0.006 * size, 1, 12).translate(0, 0.5, 0);
    const tip = new THREE.ConeGeometry(0.018 * size, 0.05 * size, 16).translate(0, 0.025 * size, 0);
    const dot = new THREE.SphereGeometry(0.012 * size, 16, 12);
    const materials = {};
    for (const mode of ["stick", "slide", "separate"]) materials[mode] = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
    const largest = Math.max(1e-300, ...view.motions.map(({ touches }) => touches.reduce((most, list) => list.reduce((m, { impulse }) => Math.max(m, Math.hypot(...impulse)), most), 0)));
    // The length of an arrow, from 0 to 1: in a logarithmic scale it ends at a millionth of the largest impulse.
    const shareOf = (part) => (state.arrows === "log" ? Math.max(0, 1 + Math.log10(Math.max(part, 1e-300)) / 6) : Math.sqrt(part));
    const pool = [];
    const up = new THREE.Vector3(0, 1, 0), way = new THREE.Vector3();

    function arrow(index) {
      while (pool.length <= index) {
        const parts = [new THREE.Mesh(shaft), new THREE.Mesh(tip), new THREE.Mesh(dot)];
        const group = new THREE.Group();
        group.add(...parts);
        group.renderOrder = 1;
        parts.forEach((part) => { part.renderOrder = 1; });
        scene.add(group);
        pool.push({ group, parts });
      }
      return pool[index];
    }

    function place(touches) {
      touches.forEach(({ point, impulse, mode }, index) => {
        const { group, parts } = arrow(index);
        const strength = Math.hypot(...impulse);
        const length = 0.3 * size * shareOf(strength / largest);
        group.visible = true;
        group.position.set(...point);
        parts.forEach((part) => { part.material = materials[mode]; });
        parts[0].visible = parts[1].visible = length > 0.01 * size;
        if (strength > 0) group.quaternion.setFromUnitVectors(up, way.set(...impulse).divideScalar(strength));
        parts[0].scale.set(1, Math.max(length, 1e-9), 1);
        parts[1].position.y = length;
      });
      for (let index = touches.length; index < pool.length; index++) pool[index].group.visible = false;
    }
    return { place, recolor: (of) => Object.entries(of).forEach(([mode, color]) => materials[mode].color.copy(color)) };
  }

  // What touches in a panel: at the time of the slider, and while playing also what passed just now, since
  // an impact takes no time.
  function touching(index) {
    const { times, touches } = motion(index);
    const now = touches[frameAt(times, state.time)];
    if (!state.playing) return now;
    const here = new Set(now.map(({ contact }) => contact));
    return now.concat(state.held.filter((held) => held.index === index && !here.has(held.touch.contact)).map(({ touch }) => touch));
  }

  function hold(from, to, clock) {
    state.held = state.held.filter(({ until }) => until > clock);
    for (const index of state.shown) {
      const { times, touches } = motion(index);
      for (let k = frameAt(times, from) + 1; k < times.length && times[k] <= to; k++) {
        for (const touch of touches[k]) {
          if (touch.impulse.every((part) => part === 0)) continue;
          state.held = state.held.filter((held) => held.index !== index || held.touch.contact !== touch.contact);
          state.held.push({ index, touch, until: clock + 400 });
        }
      }
    }
  }
