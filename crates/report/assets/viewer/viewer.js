// Plays a view, the JSON document that `percussion_scenarios::view` describes.
(() => {
  "use strict";
  const view = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const planar = view.dimension === "plane";
  const stride = planar ? 3 : 7;
  const colors = ["#4e79a7", "#e15759", "#59a14f", "#b07aa1", "#f28e2b", "#76b7b2", "#9c755f", "#d37295"];
  const largestChoice = 6;
  // So many balls are drawn as spheres with corners; more as points that are shaded like spheres.
  const mostSpheres = 60;
  const wall = "#9aa3ad";

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
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

  // Balls in their compact form, read once.
  for (const each of view.motions.filter(({ grains }) => grains)) {
    const { corners, radii, places } = each.grains;
    each.grains = { corners, radii: new Float32Array(bytes(radii)), places: new Uint16Array(bytes(places)) };
  }
  const granular = view.motions.some(({ grains }) => grains);

  // ── the stage ──────────────────────────────────────────────────────────────────────────────────
  const stage = makeStage();

  function makeStage() {
    const canvas = $("canvas");
    // Without a graphics card every pixel counts.
    const plain = granular || (!planar && view.bodies.length > mostSpheres) || isSoftware();
    let renderer;
    try {
      renderer = new THREE.WebGLRenderer({ canvas, antialias: !plain || planar });
    } catch (error) {
      canvas.hidden = true;
      $("stage").append(element("p", {}, "This browser draws no WebGL, so the motion is not shown; charts and tables are."));
      return null;
    }
    renderer.setPixelRatio(plain ? 1 : Math.min(devicePixelRatio, 2));
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
    const bodies = makeBodies(scene), grains = makeGrains(scene);
    const arrows = makeArrows(scene, size);
    const camera = planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(35, 1, size * 1e-3, size * 100);
    camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
    const controls = new THREE.OrbitControls(camera, canvas);
    controls.enableRotate = !planar;
    controls.screenSpacePanning = true;
    if (planar) controls.mouseButtons = { LEFT: 2, MIDDLE: 1, RIGHT: 2 };
    if (planar) controls.touches = { ONE: 1, TWO: 2 };
    let half = [1, 1], paper = "#fff", labelled = "";
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
      renderer.setClearColor(paper);
      renderer.clear();
      renderer.setScissorTest(true);
      if (planar) {
        const scale = Math.max(half[0] / w, half[1] / h) || 1;
        camera.left = -scale * w; camera.right = scale * w; camera.top = scale * h; camera.bottom = -scale * h;
      } else {
        camera.aspect = w / h;
      }
      camera.updateProjectionMatrix();
      ground.forEach((group) => group.face(camera.position));
      shown.forEach((index, panel) => {
        const x = (panel % columns) * w, y = Math.floor(panel / columns) * h;
        renderer.setViewport(x, height - y - h, w, h);
        renderer.setScissor(x, height - y - h, w, h);
        bodies.place(motion(index), state.time, h * renderer.getPixelRatio());
        grains.place(motion(index), state.time, h * renderer.getPixelRatio());
        arrows.place(touching(index));
        renderer.render(scene, camera);
      });
      name(shown, { w, h, columns });
    }

    function name(shown, { w, h, columns }) {
      const key = [shown, w, h].join();
      if (key === labelled) return;
      labelled = key;
      const labels = shown.length > 1 || laws.length > 1 || motion(shown[0]).sample !== null ? shown : [];
      $("names").replaceChildren(...labels.map((index, panel) => {
        const label = element("span", {}, motion(index).name);
        label.style.left = `${(panel % columns) * w + 6}px`;
        label.style.top = `${Math.floor(panel / columns) * h + 6}px`;
        return label;
      }));
    }

    function recolor() {
      paper = css("--paper");
      const colorOf = (name) => new THREE.Color(css(name));
      ground.forEach((group) => group.recolor(colorOf("--ground"), colorOf("--muted")));
      arrows.recolor({ stick: colorOf("--stick"), slide: colorOf("--slide"), separate: colorOf("--separate") });
    }

    recolor();
    home();
    return { render, recolor, home, controls };
  }

  // Whether the browser draws without a graphics card.
  function isSoftware() {
    const gl = document.createElement("canvas").getContext("webgl2");
    const name = gl ? gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER) : "";
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
  }

  // The box that holds all grains, or else all bodies, at all times of all motions.
  function bounds() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const { corners, radii } of view.motions.flatMap(({ grains }) => grains ?? [])) {
      const room = radii.reduce((most, radius) => Math.max(most, radius), 0);
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], corners[0][axis] - room);
        high[axis] = Math.max(high[axis], corners[1][axis] + room);
      }
    }
    if (low[0] <= high[0]) return { low, high };
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
      case "box": return Math.hypot(...solid.center) + Math.hypot(...solid.half_edges);
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
      group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), n);
      group.position.copy(foot);
      // Half of the shadow of the scene along each axis of the plane; a single plane is a floor with room around.
      const reach = ([x, y, z]) => {
        const axis = new THREE.Vector3(x, y, z).applyQuaternion(group.quaternion);
        return ["x", "y", "z"].reduce((sum, name, k) => sum + Math.abs(axis[name]) * (box.high[k] - box.low[k]) / 2, 0);
      };
      const alone = view.planes.length === 1;
      const [a, b] = [[1, 0, 0], [0, 1, 0]].map((axis) => (alone ? Math.max(0.9 * size, reach(axis)) : reach(axis)));
      const cell = Math.max(a, b) / 6;
      group.add(new THREE.Mesh(new THREE.PlaneGeometry(2 * a, 2 * b), fill));
      const points = [], corner = (x, y) => points.push(new THREE.Vector3(x, y, 0));
      for (let x = -a; x < a + 0.01 * cell; x += 2 * a / Math.ceil(2 * a / cell - 0.01)) { corner(x, -b); corner(x, b); }
      for (let y = -b; y < b + 0.01 * cell; y += 2 * b / Math.ceil(2 * b / cell - 0.01)) { corner(-a, y); corner(a, y); }
      line.transparent = true; line.opacity = 0.35;
      group.add(new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), line));
    }
    group.recolor = (ground, muted) => { fill.color.copy(ground); line.color.copy(muted); };
    // One looks through walls from behind.
    group.face = (eye) => { group.visible = planar || n.dot(eye) > n.dot(foot); };
    return group;
  }

  // Balls of space are drawn as instances of one sphere or as sprites, everything else as a mesh of its own.
  function makeBodies(scene) {
    const balls = [], groups = view.bodies.map(() => new THREE.Group());
    view.bodies.forEach(({ solids }, body) => {
      const color = new THREE.Color(granular ? wall : colors[body % colors.length]);
      for (const solid of solids) {
        if (!planar && solid.kind === "ball") balls.push({ body, center: solid.center, radius: solid.radius, color });
        else groups[body].add(planar ? flat(solid, color) : solidMesh(solid, color));
      }
      scene.add(groups[body]);
    });
    const drawn = balls.length > mostSpheres ? makeSprites(scene, balls.length, true) : makeSpheres(scene, balls.length);
    balls.forEach(({ color, radius }, i) => drawn.dress(i, color, radius));
    const q0 = new THREE.Quaternion(), q1 = new THREE.Quaternion(), center = new THREE.Vector3();

    function place({ times, poses }, time, height) {
      const [k, next, s] = between(times, time);
      const [from, to] = [poses[k], poses[next]];
      const at = (i) => from[i] + s * (to[i] - from[i]);
      groups.forEach((group, body) => {
        const first = body * stride;
        if (planar) {
          group.position.set(at(first), at(first + 1), 0);
          group.rotation.z = turn(from[first + 2], to[first + 2], s);
        } else {
          group.position.set(at(first), at(first + 1), at(first + 2));
          q0.set(from[first + 4], from[first + 5], from[first + 6], from[first + 3]);
          q1.set(to[first + 4], to[first + 5], to[first + 6], to[first + 3]);
          group.quaternion.copy(q0.slerp(q1, s));
        }
      });
      balls.forEach(({ body, center: c }, i) => {
        const { position, quaternion } = groups[body];
        drawn.put(i, center.set(...c).applyQuaternion(quaternion).add(position), quaternion);
      });
      drawn.update(height);
    }
    return { place };
  }

  // The frames around `time` and how far it is from the first to the second.
  function between(times, time) {
    const k = frameAt(times, time), next = Math.min(k + 1, times.length - 1);
    const span = times[next] - times[k];
    return [k, next, span > 0 ? Math.min(1, Math.max(0, (time - times[k]) / span)) : 0];
  }

  function makeSpheres(scene, count) {
    const mesh = new THREE.InstancedMesh(sphere(), new THREE.MeshLambertMaterial({ vertexColors: true }), count);
    const radii = new Float32Array(count), matrix = new THREE.Matrix4(), scale = new THREE.Vector3();
    mesh.frustumCulled = false;
    if (count) scene.add(mesh);
    return {
      dress(i, color, radius) { mesh.setColorAt(i, color); radii[i] = radius; },
      put(i, center, quaternion) { mesh.setMatrixAt(i, matrix.compose(center, quaternion, scale.setScalar(radii[i]))); },
      update() { mesh.instanceMatrix.needsUpdate = true; },
    };
  }

  // Balls as points: a square of pixels each, shaded like a sphere, which costs a thousandth of one with corners.
  // Those that `turn` show it by two tones.
  function makeSprites(scene, count, turn) {
    const geometry = new THREE.BufferGeometry(), arrays = {};
    for (const [name, size] of [["position", 3], ["radius", 1], ["tint", 3], ...(turn ? [["spin", 4]] : [])]) {
      arrays[name] = new Float32Array(size * count);
      geometry.setAttribute(name, new THREE.BufferAttribute(arrays[name], size));
    }
    const material = new THREE.ShaderMaterial({
      uniforms: { height: { value: 1 } },
      defines: turn ? { TURN: 1 } : {},
      vertexShader: `
        attribute float radius; attribute vec3 tint; attribute vec4 spin;
        uniform float height;
        varying vec3 color; varying vec4 turned;
        void main() {
          color = tint; turned = spin;
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_PointSize = radius * height * projectionMatrix[1][1] / gl_Position.w;
          if (radius == 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        }`,
      fragmentShader: `
        varying vec3 color; varying vec4 turned;
        void main() {
          vec2 at = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
          float square = dot(at, at);
          if (square > 1.0) discard;
          vec3 normal = vec3(at, sqrt(1.0 - square));
          float light = 0.5 + 0.5 * dot(normal, vec3(0.3, 0.6, 0.74));
          #ifdef TURN
            vec3 n = normal * mat3(viewMatrix);
            vec3 side = n + 2.0 * cross(-turned.xyz, cross(-turned.xyz, n) + turned.w * n);
            if (side.x * side.y * side.z < 0.0) light *= 0.62;
          #endif
          gl_FragColor = vec4(color * light, 1.0);
          #include <colorspace_fragment>
        }`,
    });
    const points = new THREE.Points(geometry, material);
    points.frustumCulled = false;
    scene.add(points);
    return {
      arrays,
      dress(i, { r, g, b }, radius) { arrays.tint.set([r, g, b], 3 * i); arrays.radius[i] = radius; },
      put(i, { x, y, z }, q) { arrays.position.set([x, y, z], 3 * i); arrays.spin.set([q.x, q.y, q.z, q.w], 4 * i); },
      update(height) {
        material.uniforms.height.value = height;
        for (const name of Object.keys(arrays)) geometry.attributes[name].needsUpdate = true;
      },
    };
  }

  // Grains are colored by speed, from blue at rest to red at that which one in fifty exceeds.
  function makeGrains(scene) {
    if (!granular) return { place() {} };
    const most = view.motions.reduce((count, { grains }) => Math.max(count, grains?.radii.length ?? 0), 0);
    const sprites = makeSprites(scene, most, false), { position, radius, tint } = sprites.arrays;
    const ramp = ["#3b6fb6", "#4fb0a5", "#f2c14e", "#e4572e"].map((color) => new THREE.Color(color));
    const absent = 65535, fastest = fastestOf(view.motions.find(({ grains }) => grains));
    $("speeds").textContent = `Grains are colored by speed: blue at rest, red from ${number(fastest)} m/s.`;
    $("speeds").hidden = false;

    function fastestOf({ times, grains: { corners: [low, high], radii, places } }) {
      const speeds = [];
      for (let k = 0; k + 1 < times.length; k++) {
        for (let i = 0; i < radii.length; i += 7) {
          const from = 3 * (k * radii.length + i), to = from + 3 * radii.length;
          if (places[from] === absent || places[to] === absent) continue;
          const way = [0, 1, 2].map((axis) => (places[to + axis] - places[from + axis]) * (high[axis] - low[axis]) / 65534);
          speeds.push(Math.hypot(...way) / (times[k + 1] - times[k]));
        }
      }
      return Float64Array.from(speeds).sort()[Math.floor(0.98 * speeds.length)] || 1;
    }

    function place({ times, grains }, time, height) {
      radius.fill(0);
      if (grains) {
        const { corners: [low, high], radii, places } = grains;
        const [k, next, s] = between(times, time);
        // At the end the speed is that of the last interval.
        const [before, behind] = next > k ? [k, next] : [Math.max(0, k - 1), k];
        const span = times[behind] - times[before];
        for (let i = 0; i < radii.length; i++) {
          const from = 3 * (k * radii.length + i), after = 3 * (next * radii.length + i);
          if (places[from] === absent) continue;
          const to = places[after] === absent ? from : after;
          const [was, is] = [before, behind].map((frame) => 3 * (frame * radii.length + i));
          const known = places[was] !== absent && places[is] !== absent;
          let square = 0;
          for (let axis = 0; axis < 3; axis++) {
            const cell = (high[axis] - low[axis]) / 65534;
            position[3 * i + axis] = low[axis] + cell * (places[from + axis] + s * (places[to + axis] - places[from + axis]));
            if (known) square += (cell * (places[is + axis] - places[was + axis])) ** 2;
          }
          radius[i] = radii[i];
          const share = 2.999 * Math.min(1, span > 0 ? Math.sqrt(square) / span / fastest : 0);
          const [a, b, part] = [ramp[Math.floor(share)], ramp[Math.floor(share) + 1], share % 1];
          tint[3 * i] = a.r + part * (b.r - a.r);
          tint[3 * i + 1] = a.g + part * (b.g - a.g);
          tint[3 * i + 2] = a.b + part * (b.b - a.b);
        }
      }
      sprites.update(height);
    }
    return { place };
  }

  // Angles are known up to full turns.
  const turn = (from, to, s) => from + s * (to - from - 2 * Math.PI * Math.round((to - from) / (2 * Math.PI)));

  // A sphere in two tones, so that its turning is seen.
  function sphere() {
    const geometry = new THREE.SphereGeometry(1, 32, 20).toNonIndexed();
    const place = geometry.attributes.position, tones = new Float32Array(3 * place.count);
    for (let corner = 0; corner < place.count; corner += 3) {
      let [x, y, z] = [0, 0, 0];
      for (let k = corner; k < corner + 3; k++) { x += place.getX(k); y += place.getY(k); z += place.getZ(k); }
      tones.fill(x * y * z > 0 ? 1 : 0.62, 3 * corner, 3 * (corner + 3));
    }
    geometry.setAttribute("color", new THREE.BufferAttribute(tones, 3));
    return geometry;
  }

  function solidMesh(solid, color) {
    const material = new THREE.MeshLambertMaterial({ color });
    // Walls around grains are seen through.
    if (granular) Object.assign(material, { transparent: true, opacity: 0.4, depthWrite: false });
    if (solid.kind === "box") {
      const box = new THREE.Mesh(new THREE.BoxGeometry(...solid.half_edges.map((half) => 2 * half)), material);
      box.position.set(...solid.center);
      return box;
    }
    if (!solid.ends) return new THREE.Group();
    const [a, b] = solid.ends.map((end) => new THREE.Vector3(...end));
    const axis = b.clone().sub(a), length = axis.length();
    const mesh = new THREE.Mesh(along(solid, length), material);
    if (solid.kind === "tube") {
      material.side = THREE.BackSide;
      mesh.add(staves(solid.radius, length));
    }
    mesh.position.copy(a.add(b).multiplyScalar(0.5));
    if (length > 0) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis.divideScalar(length));
    return mesh;
  }

  // A solid along the y axis.
  function along({ kind, radius }, length) {
    return kind === "capsule" ? new THREE.CapsuleGeometry(radius, length, 8, 24) : new THREE.CylinderGeometry(radius, radius, length, 48, 1, kind === "tube");
  }

  // Lines along a tube, by which its turning is seen.
  function staves(radius, length) {
    const points = Array.from({ length: 24 }, (_, k) => {
      const angle = 2 * Math.PI * k / 24, end = (y) => new THREE.Vector3(radius * Math.cos(angle), y, radius * Math.sin(angle));
      return [end(-length / 2), end(length / 2)];
    });
    const material = new THREE.LineBasicMaterial({ color: wall, transparent: true, opacity: 0.5 });
    return new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points.flat()), material);
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
    return [element("h2", {}, curves[0].unit ? `${title} (${curves[0].unit})` : title), svg, ...(curves.length > 1 ? [key] : [])];
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
  $("legend").hidden = !view.contacts.length;
  show();
  if (stage) stage.controls.addEventListener("change", () => draw());
  document.documentElement.dataset.ready = "yes";
})();
