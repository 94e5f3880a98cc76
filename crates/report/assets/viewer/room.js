  // ── the room that the bodies take, and what hides them ────────────────────────────────────────────
  // The box that holds all grains, or else all bodies, at all times of all motions; and how often bodies that rest hide those
  // that move from a place.
  function room() {
    const grains = view.motions.flatMap(({ grains }) => grains ?? []);
    if (grains.length) {
      const most = ({ radii }) => radii.reduce((largest, radius) => Math.max(largest, radius), 0);
      return { box: around(grains.flatMap((each) => each.corners.map((center) => ({ center, radius: most(each) })))), hidden: () => 0 };
    }
    const frames = view.motions.flatMap(({ poses }) => {
      const step = Math.max(1, Math.floor(poses.length / 100));
      return poses.filter((_, frame) => frame % step === 0);
    });
    const poseIn = (frame, body) => frame.slice(body * stride, (body + 1) * stride);
    const rests = view.bodies.map((_, body) => frames.every((frame) => poseIn(frame, body).every((value, k) => value === frames[0][body * stride + k])));
    const moving = [], resting = [];
    view.bodies.forEach(({ solids }, body) => {
      const balls = solids.flatMap(ballsOf);
      if (rests[body] && frames.length) {
        const { position, turn } = placed(poseIn(frames[0], body));
        const here = balls.map(({ center, radius }) => ({ center: plus(position, turn(center)), radius }));
        if (here.length) resting.push(around(here));
        return;
      }
      const radius = Math.max(0, ...balls.map((ball) => Math.hypot(...ball.center) + ball.radius));
      moving.push(...frames.map((frame) => ({ center: placed(poseIn(frame, body)).position, radius })));
    });
    const corners = resting.flatMap(cornersOf).map((center) => ({ center, radius: 0 }));
    const all = [...moving, ...corners];
    const box = all.length ? around(all) : { low: [-1, -1, 0], high: [1, 1, planar ? 0 : 1] };
    const hidden = (eye) => moving.filter(({ center }) => resting.some((each) => isCrossed(each, center, eye))).length;
    return { box, hidden };
  }

  const plus = (a, b) => a.map((value, k) => value + b[k]);

  // A position in space, and the rotation of vectors of the body.
  function placed(pose) {
    if (planar) {
      const [cos, sin] = [Math.cos(pose[2]), Math.sin(pose[2])];
      return { position: [pose[0], pose[1], 0], turn: ([x, y]) => [cos * x - sin * y, sin * x + cos * y, 0] };
    }
    const rotation = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
    return { position: pose.slice(0, 3), turn: (vector) => new THREE.Vector3(...vector).applyQuaternion(rotation).toArray() };
  }

  // Balls whose convex hull holds a solid.
  function ballsOf(solid) {
    const corners = (points) => points.map(([x, y, z]) => ({ center: [x, y, z ?? 0], radius: 0 }));
    switch (solid.kind) {
      case "ball": return [{ center: [...solid.center, 0].slice(0, 3), radius: solid.radius }];
      case "capsule":
      case "cylinder": return solid.ends.map(([x, y, z]) => ({ center: [x, y, z ?? 0], radius: solid.radius }));
      case "polyhedron":
      case "polygon": return corners(solid.corners);
      case "box": {
        const [low, high] = [-1, 1].map((sign) => solid.center.map((middle, k) => middle + sign * solid.half_edges[k]));
        return corners(cornersOf({ low, high }));
      }
      default: return [];
    }
  }

  const cornersOf = ({ low, high }) => Array.from({ length: 8 }, (_, corner) => low.map((value, k) => (corner >> k & 1 ? high[k] : value)));

  // The box around balls.
  function around(balls) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const { center, radius } of balls) {
      for (let axis = 0; axis < 3; axis++) {
        const more = planar && axis === 2 ? 0 : radius;
        low[axis] = Math.min(low[axis], center[axis] - more);
        high[axis] = Math.max(high[axis], center[axis] + more);
      }
    }
    return { low, high };
  }

  // Whether the line from `a` to `b` crosses a box.
  function isCrossed({ low, high }, a, b) {
    let [first, last] = [0, 1];
    for (let axis = 0; axis < 3; axis++) {
      const along = b[axis] - a[axis];
      if (along === 0 && (a[axis] < low[axis] || a[axis] > high[axis])) return false;
      if (along === 0) continue;
      const [one, other] = [(low[axis] - a[axis]) / along, (high[axis] - a[axis]) / along];
      first = Math.max(first, Math.min(one, other));
      last = Math.min(last, Math.max(one, other));
    }
    return first < last;
  }
