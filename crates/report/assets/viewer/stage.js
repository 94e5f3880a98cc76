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
    const light = new THREE.Vector3(1, -2, 3).normalize();
    sun.position.copy(light);
    scene.add(sun);
    const { box, hidden } = room();
    const size = Math.max(box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2], 1e-9);
    const ground = view.planes.map((plane) => makePlane(plane, box, size));
    ground.forEach((group) => scene.add(group));
    const shadows = makeShadows(scene, light), bodies = makeBodies(scene), ghost = makeGhost(scene), grains = makeGrains(scene);
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

    // Directions towards the eye: from the front, a little from the right and from above, then the same from other sides.
    const sides = [[0.22, -0.9], [-0.22, -0.9], [0.9, -0.22], [-0.9, -0.22], [0.22, 0.9], [-0.22, 0.9]];

    function home() {
      const center = box.low.map((low, k) => (low + box.high[k]) / 2);
      controls.target.set(...center);
      if (planar) {
        camera.position.set(center[0], center[1], 10 * size);
        camera.near = 0; camera.far = 20 * size; camera.zoom = 1;
        half = [0.58 * (box.high[0] - box.low[0]), 0.58 * (box.high[1] - box.low[1])];
      } else {
        const places = sides.map((side) => placeOf(center, new THREE.Vector3(...side, 0.38).normalize()));
        const counts = places.map((eye) => hidden(eye.toArray()));
        camera.position.copy(places[counts.indexOf(Math.min(...counts))]);
      }
      controls.update();
    }

    // The place behind `center` along `back`, so near that all corners of the box are seen.
    function placeOf(center, back) {
      const right = new THREE.Vector3(0, 0, 1).cross(back).normalize(), up = back.clone().cross(right);
      const { w, h } = layout(state.shown.length), slope = Math.tan(Math.PI * camera.fov / 360);
      let distance = 1e-3 * size;
      for (const corner of cornersOf(box)) {
        const at = new THREE.Vector3(...corner.map((place, k) => place - center[k]));
        const across = Math.max(Math.abs(at.dot(up)), Math.abs(at.dot(right)) * h / w);
        distance = Math.max(distance, at.dot(back) + across / slope);
      }
      return new THREE.Vector3(...center).addScaledVector(back, 1.15 * distance);
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
        const pixels = h * renderer.getPixelRatio();
        shadows.place(index, state.time, pixels, (plane) => ground[plane].visible);
        ghost.place(state.ghost === index ? null : state.ghost, state.time, pixels);
        bodies.place(motion(index), state.time, pixels);
        grains.place(motion(index), state.time, pixels);
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
        const label = element("span", { title: motion(index).name }, motion(index).name);
        label.style.maxWidth = `${w - 12}px`;
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
    return { render, recolor, home, controls, camera, canvas };
  }

  // Whether the browser draws without a graphics card.
  function isSoftware() {
    const gl = document.createElement("canvas").getContext("webgl2");
    const name = gl ? gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER) : "";
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
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
