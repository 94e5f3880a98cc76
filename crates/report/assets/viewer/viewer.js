// Plays a view, the JSON document that `percussion_scenarios::view` describes.
(() => {
  "use strict";
  const view = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const planar = view.dimension === "plane";
  const stride = planar ? 3 : 7;
  const colors = ["#4e79a7", "#e15759", "#59a14f", "#b07aa1", "#f28e2b", "#76b7b2", "#9c755f", "#d37295"];
  const largestChoice = 6;
  // Many bodies are drawn with fewer corners and without smoothing, for machines without a graphics card.
  const crowded = view.bodies.length > 200;

  // What is shown: the motions side by side, the first of them in the charts and the table.
  const laws = view.motions.map((_, i) => i).filter((i) => view.motions[i].sample === null);
  const state = { shown: (laws.length ? laws : [0]).slice(0, largestChoice), time: 0, playing: false, held: [] };
  const motion = (i) => view.motions[i];
  const [begin, end] = view.motions.reduce(
    ([low, high], { times }) => [Math.min(low, times[0]), Math.max(high, times[times.length - 1])],
    [Infinity, -Infinity]);
  state.time = begin;

  // Times: the last frame at or before `time`, so that of two frames of one time the later one counts.
  function frameAt(times, time) {
    let low = 0, high = times.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    return low;
  }

  const number = (value) => {
    if (value === 0) return "0";
    const size = Math.abs(value);
    const text = size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
    return text.replace("-", "−");
  };
  const element = (name, attributes = {}, ...children) => {
    const svg = ["svg", "g", "path", "line", "text", "circle", "rect", "polyline", "polygon"].includes(name);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // ── the stage ──────────────────────────────────────────────────────────────────────────────────
  const stage = makeStage();

  function makeStage() {
    const canvas = $("canvas");
    let renderer;
    try {
      renderer = new THREE.WebGLRenderer({ canvas, antialias: !crowded });
    } catch (error) {
      canvas.hidden = true;
      $("stage").append(element("p", {}, "This browser draws no WebGL, so the motion is not shown; charts and tables are."));
      return null;
    }
    renderer.setPixelRatio(crowded ? 1 : Math.min(devicePixelRatio, 2));
    renderer.autoClear = false;
    const scene = new THREE.Scene();
    scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f99, 1.9));
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    sun.position.set(1, -2, 3);
    scene.add(sun);
    const box = bounds();
    const size = Math.max(box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2], 1e-9);
    const ground = view.planes.map((plane) => makePlane(plane, box, size));
    ground.forEach((group) => scene.add(group));
    const bodies = makeBodies(scene);
    const arrows = makeArrows(scene, size);
    const camera = planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(35, 1, size * 1e-3, size * 100);
    camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
    const controls = new THREE.OrbitControls(camera, canvas);
    controls.enableRotate = !planar;
    controls.screenSpacePanning = true;
    if (planar) controls.mouseButtons = { LEFT: 2, MIDDLE: 1, RIGHT: 2 };
    if (planar) controls.touches = { ONE: 1, TWO: 2 };
    let half = [1, 1];
    const size2 = new THREE.Vector2();

    function home() {
      const center = box.low.map((low, k) => (low + box.high[k]) / 2);
      controls.target.set(...center);
      if (planar) {
        camera.position.set(center[0], center[1], 10 * size);
        camera.near = 0; camera.far = 20 * size; camera.zoom = 1;
        half = [0.58 * (box.high[0] - box.low[0]), 0.58 * (box.high[1] - box.low[1])];
      } else {
        const reach = 0.5 * Math.hypot(...box.low.map((low, k) => box.high[k] - low)) || size;
        camera.position.set(center[0] + 0.75 * reach, center[1] - 3.1 * reach, center[2] + 1.1 * reach);
      }
      controls.update();
    }

    function layout(count) {
      const { clientWidth: width, clientHeight: height } = $("stage");
      const columns = Math.min(count, Math.ceil(Math.sqrt(count * width / height)));
      const rows = Math.ceil(count / columns);
      return { width, height, w: width / columns, h: height / rows, columns };
    }

    function render(shown) {
      const { width, height, w, h, columns } = layout(shown.length);
      const known = renderer.getSize(size2);
      if (known.x !== width || known.y !== height) renderer.setSize(width, height, false);
      renderer.setScissorTest(false);
      renderer.setClearColor(css("--paper"));
      renderer.clear();
      renderer.setScissorTest(true);
      if (planar) {
        const scale = Math.max(half[0] / w, half[1] / h) || 1;
        camera.left = -scale * w; camera.right = scale * w; camera.top = scale * h; camera.bottom = -scale * h;
      } else {
        camera.aspect = w / h;
      }
      camera.updateProjectionMatrix();
      shown.forEach((index, panel) => {
        const x = (panel % columns) * w, y = Math.floor(panel / columns) * h;
        renderer.setViewport(x, height - y - h, w, h);
        renderer.setScissor(x, height - y - h, w, h);
        bodies.place(motion(index), state.time);
        arrows.place(touching(index));
        renderer.render(scene, camera);
      });
      name(shown, { w, h, columns });
    }

    function name(shown, { w, h, columns }) {
      const labels = shown.length > 1 || laws.length > 1 || motion(shown[0]).sample !== null ? shown : [];
      $("names").replaceChildren(...labels.map((index, panel) => {
        const label = element("span", {}, motion(index).name);
        label.style.left = `${(panel % columns) * w + 6}px`;
        label.style.top = `${Math.floor(panel / columns) * h + 6}px`;
        return label;
      }));
    }

    function recolor() {
      const colorOf = (name) => new THREE.Color(css(name));
      ground.forEach((group) => group.recolor(colorOf("--ground"), colorOf("--muted")));
      arrows.recolor({ stick: colorOf("--stick"), slide: colorOf("--slide"), separate: colorOf("--separate") });
    }

    recolor();
    home();
    return { render, recolor, home, controls };
  }

  // The box that holds all bodies at all times of all motions.
  function bounds() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const reach = view.bodies.map(({ solids }) => Math.max(0, ...solids.map(reachOf)));
    for (const { poses } of view.motions) {
      const step = Math.max(1, Math.floor(poses.length / 100));
      for (let frame = 0; frame < poses.length; frame += step) {
        reach.forEach((radius, body) => {
          for (let axis = 0; axis < 3; axis++) {
            const place = planar && axis === 2 ? 0 : poses[frame][body * stride + axis];
            const room = planar && axis === 2 ? 0 : radius;
            low[axis] = Math.min(low[axis], place - room);
            high[axis] = Math.max(high[axis], place + room);
          }
        });
      }
    }
    return low.every(Number.isFinite) ? { low, high } : { low: [-1, -1, 0], high: [1, 1, planar ? 0 : 1] };
  }

  function reachOf(solid) {
    switch (solid.kind) {
      case "ball": return Math.hypot(...solid.center) + solid.radius;
      case "capsule": return Math.max(...solid.ends.map((end) => Math.hypot(...end))) + solid.radius;
      case "polygon": return Math.max(...solid.corners.map((corner) => Math.hypot(...corner)));
      case "box": return Math.hypot(...solid.half_edges);
      default: return 0;
    }
  }

  function makePlane({ point, normal }, box, size) {
    const group = new THREE.Group();
    const fill = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, transparent: true, opacity: planar ? 0.55 : 0.25, depthWrite: false });
    const line = new THREE.LineBasicMaterial();
    const n = new THREE.Vector3(...normal);
    const center = new THREE.Vector3(...box.low.map((low, k) => (low + box.high[k]) / 2));
    // The point of the plane nearest to the scene.
    const foot = center.clone().addScaledVector(n, -n.dot(center.clone().sub(new THREE.Vector3(...point))));
    if (planar) {
      const along = new THREE.Vector3(-n.y, n.x, 0).multiplyScalar(20 * size);
      const [a, b] = [foot.clone().sub(along), foot.clone().add(along)];
      const deep = n.clone().multiplyScalar(-20 * size);
      const corners = [a, b, b.clone().add(deep), a.clone().add(deep)].map(({ x, y }) => ({ x, y }));
      const mesh = new THREE.Mesh(new THREE.ShapeGeometry(new THREE.Shape(corners)), fill);
      mesh.position.z = -0.02 * size;
      group.add(mesh, new THREE.Line(new THREE.BufferGeometry().setFromPoints([a, b]), line));
    } else {
      const half = 0.9 * size, lines = 12;
      group.add(new THREE.Mesh(new THREE.PlaneGeometry(2 * half, 2 * half), fill));
      const points = [];
      for (let k = 0; k <= lines; k++) {
        const x = half * (2 * k / lines - 1);
        points.push(new THREE.Vector3(x, -half, 0), new THREE.Vector3(x, half, 0), new THREE.Vector3(-half, x, 0), new THREE.Vector3(half, x, 0));
      }
      line.transparent = true; line.opacity = 0.35;
      group.add(new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), line));
      group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), n);
      group.position.copy(foot);
    }
    group.recolor = (ground, muted) => { fill.color.copy(ground); line.color.copy(muted); };
    return group;
  }

  // Balls of space are drawn as instances of one sphere, everything else as a mesh of its own.
  function makeBodies(scene) {
    const balls = [], groups = view.bodies.map(() => new THREE.Group());
    view.bodies.forEach(({ solids }, body) => {
      const color = new THREE.Color(colors[body % colors.length]);
      for (const solid of solids) {
        if (!planar && solid.kind === "ball") balls.push({ body, center: solid.center, radius: solid.radius, color });
        else groups[body].add(planar ? flat(solid, color) : solidMesh(solid, color));
      }
      scene.add(groups[body]);
    });
    const instances = balls.length ? new THREE.InstancedMesh(sphere(), new THREE.MeshLambertMaterial({ vertexColors: true }), balls.length) : null;
    if (instances) {
      balls.forEach(({ color }, i) => instances.setColorAt(i, color));
      instances.frustumCulled = false;
      scene.add(instances);
    }
    const q0 = new THREE.Quaternion(), q1 = new THREE.Quaternion(), matrix = new THREE.Matrix4(), center = new THREE.Vector3(), scale = new THREE.Vector3();

    function place({ times, poses }, time) {
      const k = frameAt(times, time), next = Math.min(k + 1, times.length - 1);
      const span = times[next] - times[k];
      const s = span > 0 ? Math.min(1, Math.max(0, (time - times[k]) / span)) : 0;
      const [from, to] = [poses[k], poses[next]];
      const between = (i) => from[i] + s * (to[i] - from[i]);
      groups.forEach((group, body) => {
        const at = body * stride;
        if (planar) {
          group.position.set(between(at), between(at + 1), 0);
          group.rotation.z = turn(from[at + 2], to[at + 2], s);
        } else {
          group.position.set(between(at), between(at + 1), between(at + 2));
          q0.set(from[at + 4], from[at + 5], from[at + 6], from[at + 3]);
          q1.set(to[at + 4], to[at + 5], to[at + 6], to[at + 3]);
          group.quaternion.copy(q0.slerp(q1, s));
        }
      });
      balls.forEach(({ body, center: c, radius }, i) => {
        const { position, quaternion } = groups[body];
        center.set(...c).applyQuaternion(quaternion).add(position);
        instances.setMatrixAt(i, matrix.compose(center, quaternion, scale.setScalar(radius)));
      });
      if (instances) instances.instanceMatrix.needsUpdate = true;
    }
    return { place };
  }

  // Angles are known up to full turns.
  const turn = (from, to, s) => from + s * (to - from - 2 * Math.PI * Math.round((to - from) / (2 * Math.PI)));

  // A sphere in two tones, so that its turning is seen; where there are many the tones run into each other,
  // because corners are shared.
  function sphere() {
    const geometry = crowded ? new THREE.SphereGeometry(1, 12, 6) : new THREE.SphereGeometry(1, 32, 20).toNonIndexed();
    const stride = crowded ? 1 : 3;
    const place = geometry.attributes.position, tones = new Float32Array(3 * place.count);
    for (let corner = 0; corner < place.count; corner += stride) {
      let [x, y, z] = [0, 0, 0];
      for (let k = corner; k < corner + stride; k++) { x += place.getX(k); y += place.getY(k); z += place.getZ(k); }
      tones.fill(x * y * z > 0 ? 1 : 0.62, 3 * corner, 3 * (corner + stride));
    }
    geometry.setAttribute("color", new THREE.BufferAttribute(tones, 3));
    return geometry;
  }

  function solidMesh(solid, color) {
    const material = new THREE.MeshLambertMaterial({ color });
    if (solid.kind === "box") return new THREE.Mesh(new THREE.BoxGeometry(...solid.half_edges.map((half) => 2 * half)), material);
    if (solid.kind !== "capsule") return new THREE.Group();
    const [a, b] = solid.ends.map((end) => new THREE.Vector3(...end));
    const axis = b.clone().sub(a), length = axis.length();
    const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(solid.radius, length, 8, 24), material);
    mesh.position.copy(a.add(b).multiplyScalar(0.5));
    if (length > 0) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis.divideScalar(length));
    return mesh;
  }

  // The outline of a solid of the plane with a light filling; discs have a radius, so that turning shows.
  function flat(solid, color) {
    const group = new THREE.Group();
    const { corners, mark } = outline(solid);
    const points = corners.map(([x, y]) => new THREE.Vector3(x, y, 0));
    const fill = new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.35, depthTest: false });
    const line = new THREE.LineBasicMaterial({ color, depthTest: false });
    if (points.length > 2) group.add(new THREE.Mesh(new THREE.ShapeGeometry(new THREE.Shape(points)), fill));
    if (points.length > 1) group.add(new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(points), line));
    if (mark) group.add(new THREE.Line(new THREE.BufferGeometry().setFromPoints(mark.map(([x, y]) => new THREE.Vector3(x, y, 0))), line));
    return group;
  }

  function outline(solid) {
    const arc = ([x, y], radius, from, to, count) => Array.from({ length: count + 1 }, (_, k) => {
      const angle = from + (to - from) * k / count;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    });
    if (solid.kind === "ball") {
      const [x, y] = solid.center;
      return { corners: arc([x, y], solid.radius, 0, 2 * Math.PI, 64).slice(1), mark: [[x, y], [x + solid.radius, y]] };
    }
    if (solid.kind === "capsule") {
      const [a, b] = solid.ends;
      const way = Math.atan2(b[1] - a[1], b[0] - a[0]);
      return { corners: [...arc(b, solid.radius, way - Math.PI / 2, way + Math.PI / 2, 16), ...arc(a, solid.radius, way + Math.PI / 2, way + 1.5 * Math.PI, 16)] };
    }
    return { corners: solid.kind === "polygon" ? solid.corners : [] };
  }

  // One arrow a contact, on the side of the first partner, and a dot where it touches.
  function makeArrows(scene, size) {
    const shaft = new THREE.CylinderGeometry(0.006 * size, 0.006 * size, 1, 12).translate(0, 0.5, 0);
    const tip = new THREE.ConeGeometry(0.018 * size, 0.05 * size, 16).translate(0, 0.025 * size, 0);
    const dot = new THREE.SphereGeometry(0.012 * size, 16, 12);
    const materials = {};
    for (const mode of ["stick", "slide", "separate"]) materials[mode] = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
    const largest = Math.max(1e-300, ...view.motions.map(({ touches }) => touches.reduce((most, list) => list.reduce((m, { impulse }) => Math.max(m, Math.hypot(...impulse)), most), 0)));
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
        const length = 0.3 * size * Math.sqrt(strength / largest);
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

  // ── charts ─────────────────────────────────────────────────────────────────────────────────────
  let cursors = [];

  function drawCharts() {
    const charts = new Map();
    for (const index of state.shown) {
      for (const curve of motion(index).curves) {
        const label = state.shown.length > 1 ? `${motion(index).name}: ${curve.label}` : curve.label;
        if (!charts.has(curve.chart)) charts.set(curve.chart, []);
        charts.get(curve.chart).push({ ...curve, label, times: motion(index).times });
      }
    }
    cursors = [];
    $("charts").replaceChildren(...[...charts].flatMap(([title, curves]) => chart(title, curves)));
  }

  const stroke = (k) => ({ stroke: colors[k % colors.length], ...(k < colors.length ? {} : { "stroke-dasharray": "2 4" }) });

  function chart(title, curves) {
    const [width, height, left, bottom] = [420, 150, 58, 22];
    const finite = curves.flatMap(({ values }) => values.filter(Number.isFinite));
    let low = finite.reduce((a, b) => Math.min(a, b), Infinity), high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(low <= high)) return [];
    // A constant up to round-off gets room around it.
    if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) { const room = Math.abs(high) || 1; low -= room / 2; high += room / 2; }
    const round = 1e-9 * (high - low);
    const tidy = (value) => number(Math.abs(value) < round ? 0 : value);
    const x = (time) => left + (width - left - 6) * (end > begin ? (time - begin) / (end - begin) : 0);
    const y = (value) => 8 + (height - bottom - 8) * (high - value) / (high - low);
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
    svg.append(element("path", { class: "axis", d: `M${left},8V${height - bottom}H${width - 6}` }));
    const label = (text, at, attributes) => svg.append(element("text", { x: at[0], y: at[1], ...attributes }, text));
    label(tidy(high), [left - 5, 14], { "text-anchor": "end" });
    label(tidy(low), [left - 5, height - bottom], { "text-anchor": "end" });
    label(`${number(begin)} s`, [left, height - 6], {});
    label(`${number(end)} s`, [width - 6, height - 6], { "text-anchor": "end" });
    curves.forEach(({ times, values }, k) => {
      const step = Math.max(1, Math.ceil(values.length / 1000));
      const points = times.map((time, i) => [time, values[i]]).filter(([, value], i) => Number.isFinite(value) && (i % step === 0 || i === times.length - 1));
      svg.append(element("polyline", { class: "curve", ...stroke(k), points: points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
    });
    const cursor = element("line", { class: "cursor", y1: 8, y2: height - bottom });
    svg.append(cursor);
    cursors.push(() => { for (const side of ["x1", "x2"]) cursor.setAttribute(side, x(state.time).toFixed(1)); });
    svg.addEventListener("click", (event) => {
      const rect = svg.getBoundingClientRect();
      const at = (event.clientX - rect.left) / rect.width * width;
      setTime(begin + (end - begin) * (at - left) / (width - left - 6));
    });
    const key = element("div", { class: "key" }, ...curves.slice(0, 12).map(({ label }, k) => {
      const swatch = element("i");
      Object.assign(swatch.style, { color: stroke(k).stroke, borderTopStyle: k < colors.length ? "solid" : "dotted" });
      return element("span", {}, swatch, label);
    }));
    return [element("h2", {}, `${title} (${curves[0].unit})`), svg, ...(curves.length > 1 ? [key] : [])];
  }

  // ── sets of outcomes ───────────────────────────────────────────────────────────────────────────
  function drawSets() {
    $("sets").replaceChildren(...view.sets.map((plane) => element("div", {}, ...setPlane(plane))));
  }

  function setPlane({ contact, hull, outcomes }) {
    const size = 300, room = 34;
    const known = view.motions.map(({ after }, index) => ({ index, at: after[contact] })).filter(({ at }) => at);
    const all = [...hull, ...outcomes, ...known.map(({ at }) => at), [0, 0]];
    const span = [0, 1].map((axis) => all.reduce(([low, high], point) => [Math.min(low, point[axis]), Math.max(high, point[axis])], [Infinity, -Infinity]));
    const scale = (size - 2 * room) / Math.max(span[0][1] - span[0][0], span[1][1] - span[1][0], 1e-9);
    const height = 2 * room + scale * Math.max(span[1][1] - span[1][0], 1e-9);
    const x = (value) => room + scale * (value - span[0][0]), y = (value) => height - room - scale * (value - span[1][0]);
    const svg = element("svg", { viewBox: `0 0 ${size} ${height.toFixed(1)}`, role: "img", "aria-label": `outcomes at ${view.contacts[contact]}` });
    const at = ([u, v]) => `${x(u).toFixed(1)},${y(v).toFixed(1)}`;
    if (hull.length > 1) svg.append(element("polygon", { class: "hull", points: hull.map(at).join(" ") }));
    svg.append(element("path", { class: "cells", d: outcomes.map((point) => `M${at(point)}h1.4v1.4h-1.4z`).join("") }));
    svg.append(element("path", { class: "axis", d: `M${room / 2},${y(0)}H${size - room / 2}M${x(0)},${room / 2}V${height - room / 2}` }));
    const text = (words, place, anchor) => svg.append(element("text", { x: place[0], y: place[1], "text-anchor": anchor }, words));
    text("sliding (m/s)", [size - 4, height - 4], "end");
    text("separation (m/s)", [4, 12], "start");
    text(number(span[0][0]), [x(span[0][0]), height - room + 14], "middle");
    text(number(span[0][1]), [x(span[0][1]), height - room + 14], "middle");
    if (span[1][1] > 0) text(number(span[1][1]), [x(0) + 4, y(span[1][1]) - 3], "start");
    for (const { index, at: point } of known) {
      const sample = motion(index).sample !== null;
      const mark = element("circle", { class: sample ? "sample" : "law", r: sample ? 2.6 : 4.5, cx: x(point[0]).toFixed(1), cy: y(point[1]).toFixed(1), "data-motion": index });
      mark.append(element("title", {}, motion(index).name));
      mark.addEventListener("click", () => choose(index));
      svg.append(mark);
    }
    for (const index of state.shown.filter((shown) => motion(shown).after[contact])) {
      const [u, v] = motion(index).after[contact];
      svg.append(element("circle", { class: "chosen", r: 6.5, cx: x(u).toFixed(1), cy: y(v).toFixed(1) }));
    }
    return [element("h2", {}, `Outcomes at ${view.contacts[contact]}`), svg];
  }

  // ── the table of contacts ──────────────────────────────────────────────────────────────────────
  let tableKey = "";

  function drawContacts() {
    if (!view.contacts.length) return;
    const index = state.shown[0];
    const { times, touches } = motion(index);
    const frame = frameAt(times, state.time);
    const key = `${index} ${frame}`;
    if (key === tableKey) return;
    tableKey = key;
    const rows = touches[frame].slice(0, 30).map(({ contact, mode, impulse }) => element("tr", {},
      element("th", { scope: "row" }, view.contacts[contact] ?? String(contact)),
      element("td", { class: `mode ${mode}` }, mode),
      element("td", { class: "number" }, number(Math.hypot(...impulse)))));
    const name = state.shown.length > 1 ? ` (${motion(index).name})` : "";
    const head = element("tr", {}, ...["contact", "mode", "impulse (N·s)"].map((text) => element("th", { scope: "col" }, text)));
    const body = rows.length ? rows : [element("tr", {}, element("td", { colspan: "3" }, "nothing touches"))];
    $("contacts").replaceChildren(element("h2", {}, `Contacts now${name}`), element("div", { class: "scroll" }, element("table", {}, head, ...body)));
  }

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
    if (state.time >= end && !state.held.length) setPlaying(false); else requestAnimationFrame(tick);
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
  show();
  if (stage) stage.controls.addEventListener("change", () => draw());
  document.documentElement.dataset.ready = "yes";
})();
