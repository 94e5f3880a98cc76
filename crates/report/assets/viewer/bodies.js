  // ── bodies and grains ─────────────────────────────────────────────────────────────────────────
  // Balls of space are drawn as instances of one sphere or as sprites, everything else as a mesh of its own, all below one
  // group. `paint` changes the materials.
  function makeBodies(scene, paint = (material) => material) {
    const root = new THREE.Group();
    scene.add(root);
    const balls = [], groups = view.bodies.map(() => new THREE.Group());
    view.bodies.forEach(({ solids }, body) => {
      const color = new THREE.Color(granular ? wall : colors[body % colors.length]);
      for (const solid of solids) {
        if (!planar && solid.kind === "ball") balls.push({ body, center: solid.center, radius: solid.radius, color });
        else groups[body].add(planar ? flat(solid, color) : solidMesh(solid, color));
      }
      root.add(groups[body]);
    });
    const drawn = balls.length > mostSpheres ? makeSprites(root, balls.length, true) : makeSpheres(root, balls.length);
    balls.forEach(({ color, radius }, i) => drawn.dress(i, color, radius));
    root.traverse((part) => { if (part.material) part.material = paint(part.material); });
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
    return { root, place };
  }

  // Bodies of another motion, which one sees through; made when they are first shown.
  function makeGhost(scene) {
    const faint = (material) => Object.assign(material, { transparent: true, opacity: 0.3 * material.opacity, depthWrite: false });
    let bodies = null;
    return {
      place(index, time, height) {
        if (bodies) bodies.root.visible = index !== null;
        if (index === null) return;
        bodies ??= makeBodies(scene, faint);
        bodies.place(motion(index), time, height);
      },
    };
  }

  // The shadows of bodies on the plane that faces most against `light`: the bodies pressed flat onto it along the light.
  function makeShadows(scene, light) {
    const facing = view.planes.map(({ normal }) => light.dot(new THREE.Vector3(...normal).normalize()));
    const floor = facing.indexOf(Math.max(...facing));
    if (planar || granular || view.bodies.length > mostSpheres || !(facing[floor] > 0.3)) return { place() {} };
    const n = new THREE.Vector3(...view.planes[floor].normal).normalize(), ray = light.clone().divideScalar(facing[floor]);
    const reach = n.dot(new THREE.Vector3(...view.planes[floor].point));
    const row = (axis) => [...["x", "y", "z"].map((other) => (axis === other ? 1 : 0) - ray[axis] * n[other]), ray[axis] * reach];
    // Of a body that is pressed flat, the faces that one sees cover each point of the shadow once.
    const material = new THREE.MeshBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.16, depthWrite: false });
    const { root, place } = makeBodies(scene, () => material);
    root.matrixAutoUpdate = false;
    root.matrix.set(...row("x"), ...row("y"), ...row("z"), 0, 0, 0, 1);
    return {
      place(index, time, height, isSeen) {
        root.visible = isSeen(floor);
        if (root.visible) place(motion(index), time, height);
      },
    };
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
    const figures = makeFigures(scene, most);
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
      figures.begin();
      if (grains) {
        const { corners: [low, high], radii, places, shapes } = grains;
        const [k, next, s] = between(times, time);
        for (let i = 0; i < radii.length; i++) {
          const from = 3 * (k * radii.length + i), after = 3 * (next * radii.length + i);
          if (places[from] === absent) continue;
          const to = places[after] === absent ? from : after;
          // Before it leaves, and at the end, the speed is that of the interval before.
          const [begin, end] = next > k && to === after ? [k, next] : [Math.max(0, k - 1), k];
          const [was, is] = [begin, end].map((frame) => 3 * (frame * radii.length + i)), span = times[end] - times[begin];
          const known = places[was] !== absent;
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
          if (shapes) {
            figures.put(shapes, i, [k, to === after ? next : k, s], position.subarray(3 * i, 3 * i + 3), radii[i], tint.subarray(3 * i, 3 * i + 3));
            radius[i] = 0;
          }
        }
      }
      sprites.update(height);
      figures.end();
    }
    return { place };
  }

  // Grains with shapes: every solid of every shape once, drawn for each grain at its place, turned and scaled.
  function makeFigures(scene, most) {
    const shapes = view.motions.map(({ grains }) => grains?.shapes).find((shapes) => shapes);
    const place = new THREE.Vector3(), scale = new THREE.Vector3(), color = new THREE.Color(), matrix = new THREE.Matrix4();
    const q0 = new THREE.Quaternion(), q1 = new THREE.Quaternion();
    const meshes = (shapes?.solids ?? []).map((solids) => solids.map((solid) => {
      const mesh = new THREE.InstancedMesh(figure(solid), new THREE.MeshLambertMaterial(), most);
      mesh.frustumCulled = false;
      scene.add(mesh);
      return mesh;
    }));
    const all = meshes.flat();
    return {
      begin() { all.forEach((mesh) => { mesh.count = 0; }); },
      put({ kinds, turns }, i, [k, next, s], [x, y, z], size, [r, g, b]) {
        const [from, to] = [k, next].map((frame) => 4 * (frame * kinds.length + i));
        q0.set(turns[from + 1], turns[from + 2], turns[from + 3], turns[from]).normalize();
        q1.set(turns[to + 1], turns[to + 2], turns[to + 3], turns[to]).normalize();
        matrix.compose(place.set(x, y, z), q0.slerp(q1, s), scale.setScalar(size));
        for (const mesh of meshes[kinds[i]] ?? []) {
          mesh.setMatrixAt(mesh.count, matrix);
          mesh.setColorAt(mesh.count++, color.setRGB(r, g, b));
        }
      },
      end() {
        for (const mesh of all) {
          mesh.instanceMatrix.needsUpdate = true;
          if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
        }
      },
    };
  }

  // A solid of a grain as a geometry about the center of the grain.
  function figure(solid) {
    if (solid.kind === "polyhedron") return facets(solid);
    if (solid.kind === "box") return new THREE.BoxGeometry(...solid.half_edges.map((half) => 2 * half)).translate(...solid.center);
    if (solid.kind === "ball") return new THREE.SphereGeometry(solid.radius, 16, 10).translate(...solid.center);
    return new THREE.BufferGeometry();
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
    if (solid.kind === "polyhedron") return new THREE.Mesh(facets(solid), material);
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

  // The faces of a polyhedron as triangles, each with a normal of its own.
  function facets({ corners, faces }) {
    const triangles = faces.flatMap((face) => face.slice(2).flatMap((last, k) => [face[0], face[k + 1], last]));
    const geometry = new THREE.BufferGeometry().setFromPoints(triangles.map((corner) => new THREE.Vector3(...corners[corner])));
    geometry.computeVertexNormals();
    return geometry;
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
